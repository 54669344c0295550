"""The disagreements that are known and explained: disagreements.csv, reasons in docs/peers.md."""

from __future__ import annotations

import csv
import pathlib
from typing import NamedTuple

from survey import Disagreement


class Listed(NamedTuple):
    disagreement: Disagreement
    reason: str
    judged: bool  # by the third computation whenever the suite runs


def listed() -> list[Listed]:
    with pathlib.Path(__file__).with_name("disagreements.csv").open(newline="") as rows:
        return [
            Listed(Disagreement(row["plan"], row["accountant"], row["kind"]), row["reason"], row["judged"] == "yes")
            for row in csv.DictReader(rows)
        ]


def known() -> list[Disagreement]:
    return [row.disagreement for row in listed()]


def reasons() -> dict[str, list[Disagreement]]:
    """What is listed under each reason."""
    found: dict[str, list[Disagreement]] = {}
    for row in listed():
        found.setdefault(row.reason, []).append(row.disagreement)
    return found
