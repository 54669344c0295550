"""The tables of docs/peers.md.

    python tests/peers/tables.py           asks everybody and prints them, and what is not listed yet
    python tests/peers/tables.py --docs    also writes them into the page
"""

from __future__ import annotations

import pathlib
import re
import sys
from collections import Counter

from known import known, reasons
from survey import Answer, disagreements, survey, time_table

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "peers.md"


def printed(answers: list[Answer]) -> str:
    sections = [time_table(answers), trouble_table(answers), summary_table(answers)]
    unlisted = sorted(set(disagreements(answers)) - set(known()))
    if unlisted:
        sections.append("Not listed in disagreements.csv yet:\n" + "\n".join(f"{','.join(d)},?" for d in unlisted))
    return "\n\n".join(sections)


def trouble_table(answers: list[Answer]) -> str:
    """Who gave no number, and what they said instead."""
    said = Counter((a.accountant, re.sub(r"\|", "/", a.trouble)) for a in answers if a.trouble)
    rows = [f"| {name} | {count} | {text} |" for (name, text), count in sorted(said.items())]
    return "\n".join(["| accountant | plans without a number | what it says |", "|---|---|---|", *rows])


def summary_table(answers: list[Answer]) -> str:
    """How often each accountant's claim misses our enclosure."""
    asked = Counter(a.accountant for a in answers if a.claim)
    missed = Counter((d.accountant, d.kind) for d in disagreements(answers))
    kinds = ("below", "above", "below by rounding", "above by rounding")
    rows = [f"| accountant | claims | {' | '.join(kinds)} |", "|---" * (2 + len(kinds)) + "|"]
    for name in (name for name in asked if name != "ration"):
        rows.append(f"| {name} | {asked[name]} | " + " | ".join(str(missed[name, kind]) for kind in kinds) + " |")
    return "\n".join(rows)


def listed_table(reason: str, answers: list[Answer]) -> str:
    """The disagreements of one reason: what the accountant claims, and our enclosure."""
    claims = {(str(a.plan), a.accountant): a.claim for a in answers}
    rows = ["| plan | accountant | claims | ours |", "|---|---|---|---|"]
    for plan, accountant, kind in reasons()[reason]:
        theirs, ours = claims[plan, accountant], claims[plan, "ration"]
        end = f"at most {theirs.upper:.7g}" if kind.startswith("below") else f"at least {theirs.lower:.7g}"
        rows.append(f"| {plan} | {accountant} | {end} | {ours.lower:.10g} to {ours.upper:.10g} |")
    return "\n".join(rows)


def write_into_page(answers: list[Answer]) -> None:
    tables = {"times": time_table(answers), "trouble": trouble_table(answers), "summary": summary_table(answers)}
    tables |= {reason: listed_table(reason, answers) for reason in reasons()}
    page = DOCS.read_text()
    for name, table in tables.items():
        between = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        page, places = between.subn(lambda found: f"{found[1]}{table}\n{found[2]}", page)
        if places != 1:
            raise SystemExit(f"docs/peers.md has {places} places for the table '{name}'")
    DOCS.write_text(page)


if __name__ == "__main__":
    found = survey()
    print(printed(found))
    if "--docs" in sys.argv[1:]:
        write_into_page(found)
