"""Everybody's eps as an array that knows what it is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._ids import Ids
from ._values import Bound, Guarantee

if TYPE_CHECKING:
    import numpy.typing as npt


class Epsilons(np.ndarray):  # type: ignore[type-arg]
    """Everybody's eps at one delta: an array with the fields ``lower`` and ``upper``.

    Private: it depends on the data. Printing it says how many people it is about and what it is worth,
    never a value; ``summary`` and the fields hold those.
    """

    delta: Optional[float]
    method: Optional[str]
    guarantee: Optional[Guarantee]
    _ids: Optional[Ids] = None  # of exactly these people: a part of the array, or another order, has none

    @classmethod
    def _of(
        cls, values: npt.NDArray[Any], delta: float, method: str, guarantee: Guarantee, ids: Optional[Ids] = None
    ) -> Epsilons:
        made = values.view(cls)
        made.delta, made.method, made.guarantee, made._ids = delta, method, guarantee, ids
        return made

    def of(self, person: Union[str, int]) -> Bound:
        """The eps of one person, by their id. Only where people have ids, and of everybody's eps as it was returned."""
        if self._ids is None:
            raise TypeError("people have no ids here: ask what Accounts(ids=...).epsilon returned, as it is")
        lower, upper = self[self._ids.place(person)]
        return Bound(float(lower), float(upper))

    def __array_finalize__(self, parent: Any) -> None:
        for name in ("delta", "method", "guarantee"):
            setattr(self, name, getattr(parent, name, None))

    @property
    def lower(self) -> npt.NDArray[np.float64]:
        return np.asarray(self["lower"])

    @property
    def upper(self) -> npt.NDArray[np.float64]:
        return np.asarray(self["upper"])

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        # A field is a plain array of numbers.
        return np.asarray(found) if isinstance(found, Epsilons) and found.dtype.names is None else found

    def summary(self) -> dict[str, float]:
        """Quantiles of the upper ends. As private as the values.

        Each is an upper end that somebody has: at least this part of the people have no more.
        """
        if self.size == 0:
            raise ValueError("nobody is in here: a summary is of people")
        parts = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
        ranked = np.sort(self.upper, axis=None)
        places = [max(int(np.ceil(part * ranked.size)), 1) - 1 for part in parts]
        return {f"{part:g}": float(ranked[place]) for part, place in zip(parts, places)}

    def to_dict(self) -> dict[str, Any]:
        """All of it, values included: private."""
        return {
            "delta": self.delta,
            "method": self.method,
            "guarantee": self.guarantee.to_dict() if self.guarantee else None,
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
        }

    def __repr__(self) -> str:
        worth = "certified" if self.guarantee and self.guarantee.certified else "approximate"
        return f"<eps of {self.size} people at delta {self.delta} by {self.method}, {worth}; private>"

    __str__ = __repr__

    def __reduce__(self) -> Any:
        made, arguments, state = tuple(super().__reduce__())
        return made, arguments, (state, self.delta, self.method, self.guarantee, self._ids)

    def __setstate__(self, state: Any) -> None:
        # Those that were pickled before people had ids have four parts.
        values, self.delta, self.method, self.guarantee, *ids = state
        self._ids = ids[0] if ids else None
        super().__setstate__(values)
