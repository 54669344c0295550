"""Asks every accountant about every shared plan, times them, and says where they disagree with us.

Two enclosures of the same truth must meet. One that does not meet ours is a disagreement: `below` when its
upper end lies below our lower end, `above` when its lower end lies above our upper end. Either is `by rounding`
when a Fourier transform in double precision explains it; on which plans that happens depends on the machine.
"""

from __future__ import annotations

import logging
import math
import os
import statistics
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple, Optional

import ration

from accountants import ACCOUNTANTS, FOURIER, Claim, takes
from plans import Plan, shared_plans


class Answer(NamedTuple):
    plan: Plan
    accountant: str
    claim: Optional[Claim]  # none: it failed, and `trouble` says how
    trouble: str
    seconds: float  # of the processor: the machine may have other things to do


class Disagreement(NamedTuple):
    plan: str
    accountant: str
    kind: str


def survey() -> list[Answer]:
    """All answers, one plan at a time on each core."""
    with ProcessPoolExecutor(max_workers=os.cpu_count(), initializer=_hush) as workers:
        return [answer for answers in workers.map(ask_everybody, shared_plans()) for answer in answers]


def ask_everybody(plan: Plan) -> list[Answer]:
    return [_ask(name, plan) for name in ACCOUNTANTS if takes(name, plan)]


def disagreements(answers: list[Answer]) -> list[Disagreement]:
    ours = {a.plan: a.claim for a in answers if a.accountant == "ration"}
    found = ((a, _kind(a, ours[a.plan])) for a in answers if a.claim is not None)
    return [Disagreement(str(a.plan), a.accountant, kind) for a, kind in found if kind]


def _kind(answer: Answer, ours: Claim) -> str:
    theirs = answer.claim
    if theirs.upper < ours.lower:
        return "below by rounding" if _within_rounding(answer, theirs.upper) else "below"
    if theirs.lower > ours.upper:
        return "above by rounding" if _within_rounding(answer, theirs.lower) else "above"
    return ""


def _within_rounding(answer: Answer, epsilon: float) -> bool:
    """A transform errs by about 2^-53 of its largest entries, which are near 1; its n-th power by n times that, and
    so does a tail of what is transformed back. Does that move delta by as much as is missing?"""
    plan = answer.plan
    truth = ration.compose([ration.Gaussian(*steps) for steps in plan.entries], epsilon=epsilon).delta
    rounding = 2**-52 * sum(steps.count for steps in plan.entries)
    return answer.accountant in FOURIER and abs(truth.upper - plan.delta) < rounding


def _ask(name: str, plan: Plan) -> Answer:
    start = time.process_time()
    claim: Optional[Claim] = None
    trouble = ""
    try:
        claim = ACCOUNTANTS[name](plan)
        if any(math.isnan(end) for end in claim):
            claim, trouble = None, "NaN"
    except Exception as failure:  # a peer's failure is a finding; ours fails its own test
        trouble = f"{type(failure).__name__}: {failure}"
    return Answer(plan, name, claim, trouble, time.process_time() - start)


def _hush() -> None:
    """Peers warn about what the tables say better."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)


def time_table(answers: list[Answer]) -> str:
    """Processor time per plan of each accountant, as Markdown."""
    rows = ["| accountant | plans | median | mean | slowest |", "|---|---|---|---|---|"]
    for name in ACCOUNTANTS:
        times = [1000 * a.seconds for a in answers if a.accountant == name]
        numbers = (statistics.median(times), statistics.fmean(times), max(times))
        rows.append(f"| {name} | {len(times)} | " + " | ".join(map(_milliseconds, numbers)) + " |")
    return "\n".join(rows)


def _milliseconds(number: float) -> str:
    return f"{number:.2g} ms" if number < 10 else f"{number:.0f} ms"
