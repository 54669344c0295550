"""Which rate a loader may be accounted at, and which loaders not at all; and the samples that it draws.

Accounting at a rate below 1 holds for Poisson samples: everybody is drawn by a coin of their own. Shuffled batches of
fixed size are something else, and no number for Poisson samples is true of them. So each noisy step takes one sample of
the loader, all of it, and in the order in which they were drawn.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any, Callable, Iterator, Optional

import numpy as np
import numpy.typing as npt
import torch
from opacus.utils.uniform_sampler import UniformWithReplacementSampler
from torch.utils.data import DataLoader, IterableDataset

from .. import RationError


def drawn_rate(sample_rate: float) -> float:
    """The probability with which Opacus' sampler draws somebody: a little above ``sample_rate``.

    The sampler takes who has ``torch.rand(...) < sample_rate``. Such a number is a multiple of 2^-24 (of 2^-53 if
    torch's default is float64), so the coin comes up with sample_rate rounded up to one.
    """
    if torch.get_default_dtype() not in (torch.float32, torch.float64):
        raise RationError(
            f"torch's default is {torch.get_default_dtype()}, in which the sampler's coins are too coarse to be accounted "
            "for: leave the default at float32 and convert the data"
        )
    single = math.ceil(math.ldexp(float(np.float32(sample_rate)), 24))
    double = math.ceil(math.ldexp(sample_rate, 53))
    return min(1.0, max(math.ldexp(single, -24), math.ldexp(double, -53)))


def people_of(loader: DataLoader[Any]) -> int:
    if isinstance(loader.dataset, IterableDataset):
        raise RationError("the data set is an IterableDataset: people need positions, to be drawn and accounted for")
    return len(loader.dataset)  # type: ignore[arg-type]


def accounted_rate(loader: DataLoader[Any], *, poisson_sampling: bool) -> float:
    """The rate to account at. ``poisson_sampling`` says that Opacus will make a Poisson loader of this one."""
    if poisson_sampling:
        return drawn_rate(1 / len(loader))
    sampler = loader.batch_sampler
    if type(sampler) in (UniformWithReplacementSampler, WatchedSampler):
        if sampler.num_samples != people_of(loader):
            raise RationError(
                f"the sampler draws from {sampler.num_samples} people and the data set has {people_of(loader)}: "
                "everybody must be drawn at the same rate"
            )
        return drawn_rate(sampler.sample_rate)
    if sampler is not None and len(loader) == 1:
        return 1.0
    raise RationError(
        "the loader does not draw Poisson samples: its batches have a fixed size, and accounting at a rate below 1 is "
        "not true of them. Leave poisson_sampling=True, give a DPDataLoader, or take everybody in one batch"
    )


class Samples:
    """The Poisson samples that were drawn and that no step was made from. Private.

    ``ahead``: whether the loader draws samples before they are asked for, so that some are left after a loop.
    """

    def __init__(self, *, people: int, rate: float, ahead: bool, restarted: Callable[[], None]) -> None:
        self._people, self._rate, self._ahead = people, rate, ahead
        self._waiting: deque[list[int]] = deque()
        self._restarted = restarted

    def restart(self) -> None:
        """A new loop over the loader: what was only drawn ahead for an earlier one is nobody's."""
        if self._waiting and not self._ahead:
            raise RationError(
                "a sample came that no step was made from: make a step from each, also from empty ones, or call "
                "abandon() after an interruption"
            )
        self.clear()
        self._restarted()

    def clear(self) -> None:
        self._waiting.clear()

    def check(self, sampler: UniformWithReplacementSampler) -> None:
        if sampler.num_samples != self._people or drawn_rate(sampler.sample_rate) != self._rate:
            raise RationError(
                "the sampler was changed after make_private: people would be drawn at another rate than they pay for"
            )

    def add(self, sample: list[int]) -> None:
        self._waiting.append(sample)

    def take(self) -> list[int]:
        if not self._waiting:
            raise RationError("this batch is not of the loader that make_private returned: loop over that one")
        return self._waiting.popleft()


class Coming:
    """Who is still to come in a step: the rest of its sample in its order, or at rate 1 (no sample) anybody once."""

    def __init__(self, people: int, sample: Optional[list[int]]) -> None:
        self._rest = None if sample is None else np.array(sample, np.int64)
        self._free = np.ones(people, bool)

    def take(self, drawn: npt.NDArray[np.int64]) -> None:
        if self._rest is None:
            expected = bool(self._free[drawn].all())
        else:
            expected = np.array_equal(self._rest[: len(drawn)], drawn)
        if not expected:
            raise RationError(
                "these people were not drawn for this step in this order, or came before: take the loader's batches as "
                "they come, also empty ones, and call abandon() after leaving a loop in the middle of a step"
            )
        self._free[drawn] = False
        self._rest = None if self._rest is None else self._rest[len(drawn) :]

    @property
    def complete(self) -> bool:
        """Whether all of the sample has come."""
        return self._rest is None or len(self._rest) == 0


class WatchedSampler(UniformWithReplacementSampler):
    """Opacus' sampler, draw for draw, which also tells ``samples`` what it drew."""

    samples: Samples

    def __iter__(self) -> Iterator[list[int]]:
        self.samples.check(self)
        self.samples.restart()
        for sample in super().__iter__():
            self.samples.check(self)  # the rate may have changed between two samples
            self.samples.add(sample)
            yield sample

    @classmethod
    def watch(cls, loader: DataLoader[Any], samples: Samples) -> None:
        """A loader's sampler cannot be replaced once it is made, so it becomes this one."""
        loader.batch_sampler.__class__ = cls
        loader.batch_sampler.samples = samples  # type: ignore[union-attr]
