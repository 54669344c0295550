"""A data set whose items say whose they are."""

from __future__ import annotations

from typing import Any

from torch.utils.data import Dataset


class Indexed(Dataset):  # type: ignore[type-arg]
    """``dataset`` with each item's position before it: ``(position, *item)``. One item is one person."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, position: int) -> tuple[Any, ...]:
        item = self.dataset[position]
        return (position, *item) if isinstance(item, (tuple, list)) else (position, item)
