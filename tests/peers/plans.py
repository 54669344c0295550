"""The plans that every accountant is asked about, each with a delta of its own.

Chosen as grids, not by hand: sampled steps from rare to half of everybody and from one to many, steps with
everybody, very rare samples at small delta, and mixtures of two and three kinds of steps. Deltas go round, so
that each meets each noise, rate and number of steps.
"""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Iterable, Iterator, NamedTuple

DELTAS = (1e-5, 1e-6, 1e-8, 1e-10, 1e-12)


class Steps(NamedTuple):
    """As Opacus writes it down in its history."""

    noise: float
    rate: float
    count: int


class Plan(NamedTuple):
    entries: tuple[Steps, ...]
    delta: float

    def __str__(self) -> str:
        return " + ".join(f"{s.noise:g}/{s.rate:g}/{s.count}" for s in self.entries) + f" @ {self.delta:g}"


def shared_plans() -> list[Plan]:
    return [*_sampled(), *_everybody(), *_rare(), *_mixed()]


def _sampled() -> Iterator[Plan]:
    noises, rates, counts = (0.7, 1.0, 2.0, 5.0, 20.0), (0.0001, 0.001, 0.01, 0.1, 0.5), (1, 10, 100, 1000, 10000)
    for (i, noise), (j, rate), (k, count) in product(enumerate(noises), enumerate(rates), enumerate(counts)):
        yield from _if_sensible([Steps(noise, rate, count)], DELTAS[(i + j + k) % 5])


def _everybody() -> Iterator[Plan]:
    noises, counts = (0.8, 1.0, 2.0, 5.0, 20.0, 100.0, 1000.0), (1, 3, 10, 100, 1000, 10000)
    for (i, noise), (j, count) in product(enumerate(noises), enumerate(counts)):
        yield from _if_sensible([Steps(noise, 1.0, count)], DELTAS[(i + j) % 5])


def _rare() -> Iterator[Plan]:
    for noise, rate, count in product((0.7, 1.0, 2.0, 1000.0), (1e-8, 1e-6, 1e-5), (1, 100, 10000)):
        yield Plan((Steps(noise, rate, count),), 1e-12 if rate * count < 1e-3 else 1e-10)


def _mixed() -> Iterator[Plan]:
    kinds = [
        Steps(1.0, 0.01, 500),
        Steps(0.8, 0.001, 2000),
        Steps(2.0, 0.1, 50),
        Steps(5.0, 1.0, 4),
        Steps(10.0, 0.5, 100),
        Steps(3.0, 0.02, 1),
    ]
    for i, chosen in enumerate([*combinations(kinds, 2), *combinations(kinds, 3)]):
        yield Plan(chosen, DELTAS[i % 5])
        if i % 2:
            yield Plan(chosen, DELTAS[(i + 2) % 5])


def _if_sensible(entries: Iterable[Steps], delta: float) -> Iterator[Plan]:
    """Leaves out what nobody runs, with an eps in the hundreds, for which a grid takes minutes."""
    entries = tuple(entries)
    if sum(s.count * s.rate**2 * math.expm1(s.noise**-2) for s in entries) < 26:
        yield Plan(entries, delta)
