"""Whose the rows of a batch are. A person with several records has several rows, and all of them come together.

A person contributes the sum over their records: it is this sum that is clipped, charged for and left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
import numpy.typing as npt
import torch

from .. import RationError


@dataclass(frozen=True)
class Rows:
    """The people of a batch, each once and in the order in which they come, and each row's owner among them."""

    people: npt.NDArray[np.int64]
    owner: npt.NDArray[np.int64]

    @classmethod
    def of(cls, given: Any, people: int, records: Optional[npt.NDArray[np.int64]]) -> Rows:
        """From the positions of a batch's owners; ``records`` says how many each person has, None: one each."""
        array = given.detach().cpu().numpy() if isinstance(given, torch.Tensor) else np.asarray(given)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise RationError("people are a list of whole numbers: the positions of those who were drawn")
        if array.size and not (0 <= array.min() and array.max() < people):
            raise RationError(f"a position is outside of the {people} people: count from 0")
        found, first, owner, count = np.unique(array, return_index=True, return_inverse=True, return_counts=True)
        if records is None and len(found) != len(array):
            raise RationError("a person is in the batch twice: they could contribute twice what they pay for")
        if records is not None and (count != records[found.astype(np.int64)]).any():
            raise RationError("a batch has other than all records of a person: they come together, as the loader has them")
        order = np.argsort(first)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return cls(found[order].astype(np.int64), place[owner.ravel()].astype(np.int64))

    @property
    def one_each(self) -> bool:
        return len(self.people) == len(self.owner)

    def summed(self, values: torch.Tensor) -> torch.Tensor:
        """Rows added up by person."""
        sums = values.new_zeros(len(self.people), *values.shape[1:])
        return sums.index_add_(0, self._owner(values), values)

    def spread(self, values: torch.Tensor) -> torch.Tensor:
        """Each person's value for each of their rows."""
        return values[self._owner(values)]

    def together(self, values: torch.Tensor) -> torch.Tensor:
        """(people, positions of all their rows, ...) from (rows, positions, ...), with zeros where there are fewer."""
        order = np.argsort(self.owner, kind="stable")
        count = np.bincount(self.owner, minlength=len(self.people))
        before = np.repeat(np.cumsum(count) - count, count)
        place = np.empty_like(order)
        place[order] = np.arange(len(order)) - before
        most = int(count.max(initial=0))
        made = values.new_zeros(len(self.people), most, *values.shape[1:])
        made[self._owner(values), torch.from_numpy(place).to(values.device)] = values
        return made.flatten(1, 2)

    def _owner(self, values: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(self.owner).to(values.device)
