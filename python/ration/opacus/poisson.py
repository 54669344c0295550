"""Which rate a loader may be accounted at, and which loaders not at all; and the samples that it draws.

Accounting at a rate below 1 holds for Poisson samples: everybody is drawn by a coin of their own. Shuffled batches of
fixed size are something else, and no number for Poisson samples is true of them. So each noisy step takes one sample of
the loader, all of it, and in the order in which they were drawn.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any, Callable, Iterator

import numpy as np
from opacus.utils.uniform_sampler import UniformWithReplacementSampler
from torch.utils.data import DataLoader, IterableDataset

from .. import RationError


def drawn_rate(sample_rate: float) -> float:
    """The probability with which Opacus' sampler draws somebody: a little above ``sample_rate``.

    The sampler takes who has ``torch.rand(...) < sample_rate``. Such a number is a multiple of 2^-24 (of 2^-53 if
    torch's default is float64), so the coin comes up with sample_rate rounded up to one.
    """
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
    """The Poisson samples that were drawn and that no step was made from. Private."""

    def __init__(self, restarted: Callable[[], None]) -> None:
        self._waiting: deque[list[int]] = deque()
        self._restarted = restarted

    def restart(self) -> None:
        """A new loop over the loader: what an earlier one left behind is nobody's."""
        self._waiting.clear()
        self._restarted()

    def add(self, sample: list[int]) -> None:
        self._waiting.append(sample)

    def take(self) -> list[int]:
        if not self._waiting:
            raise RationError("this batch is not of the loader that make_private returned: loop over that one")
        return self._waiting.popleft()


class WatchedSampler(UniformWithReplacementSampler):
    """Opacus' sampler, draw for draw, which also tells ``samples`` what it drew."""

    samples: Samples

    def __iter__(self) -> Iterator[list[int]]:
        self.samples.restart()
        for sample in super().__iter__():
            self.samples.add(sample)
            yield sample

    @classmethod
    def watch(cls, loader: DataLoader[Any], samples: Samples) -> None:
        """A loader's sampler cannot be replaced once it is made, so it becomes this one."""
        loader.batch_sampler.__class__ = cls
        loader.batch_sampler.samples = samples  # type: ignore[union-attr]
