"""People by their ids."""

from __future__ import annotations

import operator
from typing import Any, Iterable

from . import _core


class Ids:
    """Everybody's id, in order: text, or whole numbers, which count as their digits. Each is there once.

    >>> ids = Ids(["P-17", 4])
    >>> ids.listed, ids.place("P-17"), ids.place(4)
    (['P-17', '4'], 0, 1)
    """

    def __init__(self, given: Iterable[Any]) -> None:
        self.listed = [_text_of(one, place) for place, one in enumerate(given)]
        _core.check_ids(self.listed)
        self._places = {text: place for place, text in enumerate(self.listed)}

    def place(self, one: Any) -> int:
        """Where somebody stands. A ``KeyError`` says that nobody has the id."""
        found = self._places.get(_text_of(one, 0))
        if found is None:
            raise KeyError("nobody here has this id")
        return found

    def places(self, some: Iterable[Any]) -> list[int]:
        return [self.place(one) for one in some]


def _text_of(one: Any, place: int) -> str:
    if isinstance(one, str):
        return str(one)
    if not isinstance(one, bool):
        try:
            return str(operator.index(one))
        except TypeError:
            pass
    raise TypeError(f"id at position {place} (from 0) is a {type(one).__name__}: give text, or a whole number")
