"""Odometers: which of the levels fixed in advance everybody has reached. They halt nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

import numpy as np

from . import _core
from ._arguments import number_of, whole_of
from ._currencies import Budgets, Controlled, Gdp, Renyi, Tight, one_step
from ._epsilons import Epsilons

if TYPE_CHECKING:
    import numpy.typing as npt


class _Odometer(Controlled):
    _core_class = _core.Odometer
    _noun = "an odometer"

    def _start(self, people: int, budgets: Budgets, currency: _core.Currency) -> None:
        values, budget = budgets
        levels = [budget(float(value)) for value in np.atleast_1d(values)]
        repeats = values.ndim == 0
        self._core = _core.Odometer(currency, whole_of("people", people), levels, repeats)

    def record(
        self,
        norms: npt.ArrayLike,
        *,
        noise: Optional[float] = None,
        clip: Optional[float] = None,
        rate: Optional[float] = None,
    ) -> None:
        """Charges one step, before anything is released. Takes everybody's norms, before clipping.

        After a refusal nobody has been charged.
        """
        self._core.record(*self._step(noise, clip, rate), one_step(norms))

    def levels_after(
        self,
        norms: npt.ArrayLike,
        *,
        noise: Optional[float] = None,
        clip: Optional[float] = None,
        rate: Optional[float] = None,
    ) -> npt.NDArray[np.uint64]:
        """The level that each person would have reached after such a step: ask, and then decide whether to
        take it. Charges nobody. Private."""
        return self._core.levels_after(*self._step(noise, clip, rate), one_step(norms))  # type: ignore[no-any-return]

    @property
    def levels(self) -> npt.NDArray[np.uint64]:
        """The level that each person has reached: 0 is nothing at all, 2**64 - 1 beyond the last. Private."""
        return self._core.levels  # type: ignore[no-any-return]

    def reached(self, delta: float) -> Epsilons:
        """The eps of everybody's level, anything from 0 to infinity beyond the last. Private.

        For each level fixed in advance, all outputs up to the last step within it stay within it together.
        """
        at = number_of("delta", delta)
        return Epsilons._of(self._core.reached(at), at, self._method, self.guarantee)


class GdpOdometer(Gdp, _Odometer):
    """The individual GDP odometer, for steps in which everybody takes part.

    Levels are fixed in advance: a single ``mu``, or ``epsilon`` at ``delta``, or number of ``steps`` at the clip bound
    gives levels at once, twice, three times ... its mu squared; a list gives these levels and no others.

    >>> odometer = GdpOdometer(2, noise=10, steps=4)
    >>> for step in range(9):
    ...     odometer.record([1.0, 0.5])
    >>> odometer.levels.tolist()
    [3, 1]
    >>> odometer.reached(1e-5).upper.round(3)
    array([1.326, 0.726])
    """

    _kind = "gdp-odometer"
    _saved_kind = "individual-gdp-odometer"


class RenyiOdometer(Renyi, _Odometer):
    """The individual Renyi odometer, for steps with and without Poisson sampling.

    Levels as for ``GdpOdometer``, each a curve of divergences along ``orders``, by default 18 from 1.25 to 64. Under
    sampling everybody is charged for the contribution they would make, drawn or not.

    >>> odometer = RenyiOdometer(2, noise=1.0, rate=0.01, steps=100)
    >>> odometer.record([1.0, 0.5])
    >>> odometer.levels_after([1.0, 0.0]).tolist()
    [1, 1]
    """

    _kind = "renyi-odometer"
    _saved_kind = "individual-renyi-odometer"


class TightOdometer(Tight, _Odometer):
    """The individual tight odometer, for steps with Poisson sampling.

    Levels are those that are given, as budgets of ``TightFilter``: one ``epsilon`` or number of ``steps``, or a list of them,
    and no others. Prices are made for the largest.

    >>> odometer = TightOdometer(2, noise=1.0, rate=0.01, epsilon=[1.0, 1.5], delta=1e-5)
    >>> odometer.record([1.0, 0.5])
    >>> odometer.levels.tolist()
    [1, 1]
    """

    _kind = "tight-odometer"
    _saved_kind = "individual-tight-odometer"

    def _start(self, people: int, budgets: Budgets, currency: _core.Currency) -> None:
        values, budget = budgets
        super()._start(people, (np.atleast_1d(values), budget), currency)
