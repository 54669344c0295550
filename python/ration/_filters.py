"""Filters: who takes part in a step, so that nobody spends more than their budget."""

from __future__ import annotations

import os
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np

from . import _core
from ._arguments import number_of, whole_of
from ._currencies import Budgets, Controlled, Gdp, Renyi, Tight, one_step
from ._epsilons import Epsilons
from ._values import Bound

if TYPE_CHECKING:
    import numpy.typing as npt


_PROCESS = secrets.token_hex(8)  # drawn anew by each interpreter; a forked one has another number


class _Filter(Controlled):
    _core_class = _core.Filter
    _noun = "a filter"

    def _start(self, people: int, budgets: Budgets, currency: _core.Currency) -> None:
        kinds, kind_of = _kinds(*budgets)
        self._core = _core.Filter(currency, whole_of("people", people), kinds, kind_of)

    def _check_replacement(self, core: _core.Filter) -> None:
        own: Optional[_core.Filter] = getattr(self, "_core", None)  # none while it is made
        if own is None or not own.source:
            return
        if core.source != own.source:
            raise _core.RationError(
                "state_dict is not of the grant, people and run that this filter is of: give it to Grant.resume"
            )
        if own.holds_all and not core.holds_all:
            raise _core.RationError(
                "steps were charged with this grant that the state_dict does not have: what they released would be forgotten"
            )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.state_dict(), "process": f"{_PROCESS} {os.getpid()}"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self._core.source and state["process"] != f"{_PROCESS} {os.getpid()}":
            raise _core.RationError(
                "filter of a grant was pickled by another process, which would not know what it charges here: save it "
                "there, and go on here by Grant.resume"
            )

    def admit(
        self,
        norms: npt.ArrayLike,
        *,
        noise: Optional[float] = None,
        clip: Optional[float] = None,
        rate: Optional[float] = None,
    ) -> npt.NDArray[np.bool_]:
        """Says who takes part in a step, and charges them before anything is released.

        Takes everybody's norms, before clipping. Anyone who is left out pays nothing, must contribute
        nothing, and may be admitted again to a smaller step. Who is admitted is private. After a refusal nobody has been
        charged. Another thread may change the norms meanwhile: everybody is admitted and charged for one reading of their
        norm. (Only a refusal that says so leaves people charged: norms changed, and some were none.)
        """
        return self._core.admit(*self._step(noise, clip, rate), one_step(norms))  # type: ignore[no-any-return]

    def could_admit(self, norms: npt.ArrayLike, most: int) -> npt.NDArray[np.uint32]:
        """How many like steps in a row each person could still take part in, at most ``most``. Charges
        nobody. Private."""
        times = min(whole_of("most", most), 2**32 - 1)
        return self._core.could_admit(self.noise, self.clip, self.rate, one_step(norms), times)  # type: ignore[no-any-return]

    def budget(self, delta: float, person: int = 0) -> Bound:
        """The eps of a person's whole budget: what is guaranteed to them."""
        return Bound(*self._core.budget(whole_of("person", person), number_of("delta", delta)))

    def worst_case_steps(self, person: int = 0) -> int:
        """How many of the steps described here fit into a person's whole budget, if their norm is always at the
        clip bound or above."""
        return int(self._core.worst_case_steps(whole_of("person", person), self.noise, self.rate))

    def spent(self, delta: float) -> Epsilons:
        """What everybody was charged so far, rounded up, as eps. Private.

        What is guaranteed is the budget: when somebody stopped was decided in view of the outputs.
        """
        at = number_of("delta", delta)
        charged = "Sum of what this filter has charged, for the norms that people had"
        worth = replace(self.guarantee, theorem=charged, adaptive=False)
        return Epsilons._of(self._core.spent(at), at, self._method, worth)


class GdpFilter(Gdp, _Filter):
    """The individual GDP filter, for steps in which everybody takes part.

    One budget: ``mu``, or ``epsilon`` and ``delta``, or ``steps``, as much as this number of steps costs a person
    at the clip bound. Each may be an array, with one value for each person.

    >>> filter = GdpFilter(2, noise=100, epsilon=0.8, delta=1e-5)
    >>> int(sum(filter.admit([1.0, 0.5])[0] for step in range(500)))
    478
    """

    _kind = "gdp-filter"
    _saved_kind = "individual-gdp-filter"


class RenyiFilter(Renyi, _Filter):
    """The individual Renyi filter, for steps with and without Poisson sampling.

    Budgets as for ``GdpFilter``; one of ``epsilon`` and ``delta`` has the shape of the steps described here.
    ``orders`` are those at which the budget is kept, by default 18 from 1.25 to 64. Under sampling everybody
    is charged for the contribution they would make, drawn or not.

    >>> filter = RenyiFilter(2, noise=1.0, rate=0.01, steps=3)
    >>> [filter.admit([1.0, 0.5]).tolist() for step in range(4)][-1]
    [False, True]
    """

    _kind = "renyi-filter"
    _saved_kind = "individual-renyi-filter"


class TightFilter(Tight, _Filter):
    """The individual tight filter, for steps with Poisson sampling: it admits more of them than ``RenyiFilter``.

    Budgets: ``epsilon`` and ``delta``, or ``steps``, so many of those described here at the clip bound, and ``delta``. One
    for all, or an array with one for each person. Prices are made for these steps, this delta and the largest budget,
    which takes up to some seconds; saved state has them. Steps may then have more noise or a smaller rate, and no others;
    ``budget`` and ``spent`` tell at this delta alone. Under sampling everybody is charged for the contribution they would
    make, drawn or not.

    ``ratios``: what norms to suit, as the clip bound divided by a norm; by default 1, 2, ... 8. What is promised is the
    same for any.

    >>> run = {"noise": 1.0, "rate": 0.01, "epsilon": 1.83, "delta": 1e-5}
    >>> TightFilter(1, **run).worst_case_steps() > 1.3 * RenyiFilter(1, **run).worst_case_steps()
    True
    """

    _kind = "tight-filter"
    _saved_kind = "individual-tight-filter"


AnyFilter = Union[GdpFilter, RenyiFilter, TightFilter]


def _kinds(values: npt.NDArray[np.float64], budget: Callable[[float], Any]) -> tuple[list[Any], list[int]]:
    """The different budgets, and which of them each person has (nothing: all the first)."""
    if values.ndim == 0:
        return [budget(float(values))], []
    different, kind_of = np.unique(values, return_inverse=True)
    return [budget(float(value)) for value in different], kind_of.ravel().tolist()
