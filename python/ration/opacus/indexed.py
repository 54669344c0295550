"""A data set whose items say whose they are."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt
from torch.utils.data import Dataset

from .. import RationError
from .._arguments import ids_of


class Indexed(Dataset):  # type: ignore[type-arg]
    """``dataset`` with its owner's position before each item: ``(position, *item)``.

    Without ``people`` one item is one person. With ``people``, the id of each item's owner (any text or whole number),
    several items may be one person's: ``len`` is the number of people, a loader draws people, and a batch has all
    items of everybody who was drawn, each with its owner's position. Positions follow the first item of each person; ``ids``
    says whose they are, and ``records`` how many items each has.
    """

    def __init__(self, dataset: Any, people: Any = None) -> None:
        self.dataset = dataset
        self.ids: Optional[list[str]] = None
        self.records: Optional[npt.NDArray[np.int64]] = None
        if people is None:
            return
        owners = ids_of("people", people)
        if len(owners) != len(dataset):
            raise RationError(f"people are {len(owners)} ids and the data set has {len(dataset)} items: give one for each")
        items_of: dict[str, list[int]] = {}
        for item, owner in enumerate(owners):
            items_of.setdefault(owner, []).append(item)
        self.ids, self._of_position = list(items_of), list(items_of.values())
        self.records = np.array([len(items) for items in self._of_position], np.int64)

    def __len__(self) -> int:
        return len(self.dataset) if self.ids is None else len(self.ids)

    def __getitem__(self, position: int) -> tuple[Any, ...]:
        """The item at a position; of a person with several the first, for those who look at its shape."""
        return self._item(position, position if self.ids is None else self._of_position[position][0])

    def __getitems__(self, positions: Sequence[int]) -> list[tuple[Any, ...]]:
        """What loaders ask for: all items of these people, one after the other."""
        if self.ids is None:
            return [self[position] for position in positions]
        return [self._item(position, item) for position in positions for item in self._of_position[position]]

    def _item(self, position: int, place: int) -> tuple[Any, ...]:
        item = self.dataset[place]
        return (position, *item) if isinstance(item, (tuple, list)) else (position, item)
