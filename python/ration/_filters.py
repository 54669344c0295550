"""Filters: who takes part in a step, so that nobody spends more than their budget."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Optional, Sequence

import numpy as np

from . import _core
from ._arguments import norms_of, number_of, whole_of
from ._epsilons import Epsilons
from ._state import Stateful
from ._values import Bound, Guarantee

if TYPE_CHECKING:
    import numpy.typing as npt


class _Filter(Stateful):
    _core_class = _core.Filter
    _method: ClassVar[str]

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
        charged.
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

    def spent(self, delta: float) -> Epsilons:
        """What everybody was charged so far, rounded up, as eps. Private.

        What is guaranteed is the budget: when somebody stopped was decided in view of the outputs.
        """
        at = number_of("delta", delta)
        charged = "Sum of what this filter has charged, for the norms that people had"
        worth = replace(self.guarantee, theorem=charged, adaptive=False)
        return Epsilons._of(self._core.spent(at), at, self._method, worth)

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(*self._core.guarantee)


class GdpFilter(_Filter):
    """The individual GDP filter, for steps in which everybody takes part.

    One budget: ``mu``, or ``epsilon`` and ``delta``, or ``steps``, as much as this number of steps costs a person
    at the clip bound. Each may be an array, with one value for each person.

    >>> filter = GdpFilter(2, noise=100, epsilon=0.8, delta=1e-5)
    >>> int(sum(filter.admit([1.0, 0.5])[0] for step in range(500)))
    478
    """

    _kind = "gdp-filter"
    _saved_kind = "individual-gdp-filter"
    _method = "gdp"

    def __init__(
        self,
        people: int,
        *,
        noise: float,
        clip: float = 1.0,
        mu: Optional[npt.ArrayLike] = None,
        epsilon: Optional[npt.ArrayLike] = None,
        delta: Optional[float] = None,
        steps: Optional[npt.ArrayLike] = None,
    ) -> None:
        self._describe(noise, clip, 1.0)
        kinds, kind_of = _kinds(*budget_of("a filter", mu, epsilon, delta, steps, self.noise, self.rate))
        self._core = _core.Filter("gdp", whole_of("people", people), kinds, kind_of, [])

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, noise: float, clip: float) -> GdpFilter:  # type: ignore[override]
        """What was saved goes on as it would have, bit for bit. Refuses a damaged file.

        A state file holds what was spent; the steps to come are described again.
        """
        return super().load(path, noise=noise, clip=clip, rate=1.0)


class RenyiFilter(_Filter):
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
    _method = "rdp"

    def __init__(
        self,
        people: int,
        *,
        noise: float,
        clip: float = 1.0,
        rate: float = 1.0,
        mu: Optional[npt.ArrayLike] = None,
        epsilon: Optional[npt.ArrayLike] = None,
        delta: Optional[float] = None,
        steps: Optional[npt.ArrayLike] = None,
        orders: Sequence[float] = (),
    ) -> None:
        self._describe(noise, clip, rate)
        kinds, kind_of = _kinds(*budget_of("a filter", mu, epsilon, delta, steps, self.noise, self.rate))
        self._core = _core.Filter("rdp", whole_of("people", people), kinds, kind_of, list(orders))


def budget_of(
    what: str,
    mu: Optional[npt.ArrayLike],
    epsilon: Optional[npt.ArrayLike],
    delta: Optional[float],
    steps: Optional[npt.ArrayLike],
    noise: float,
    rate: float,
) -> tuple[npt.NDArray[np.float64], Callable[[float], Any]]:
    """The values given, one or several, and what makes a budget of each."""
    if sum(given is not None for given in (mu, epsilon, steps)) != 1:
        raise TypeError(f"{what} needs one budget: give mu, or epsilon and delta, or steps")
    if (epsilon is None) != (delta is None):
        raise TypeError("epsilon and delta belong together")
    if mu is not None:
        return np.asarray(mu, np.float64), _core.mu_budget
    if steps is not None:
        return np.asarray(steps, np.float64), lambda count: _core.steps_budget(noise, rate, count)
    assert epsilon is not None and delta is not None
    at = number_of("delta", delta)
    shape = (noise, rate) if rate < 1 else ()
    return np.asarray(epsilon, np.float64), lambda eps: _core.epsilon_budget(eps, at, *shape)


def one_step(norms: npt.ArrayLike) -> npt.NDArray[Any]:
    array = norms_of(norms)
    if array.ndim != 1:
        raise ValueError(f"norms have {array.ndim} dimensions: give one norm for each person")
    return array


def _kinds(values: npt.NDArray[np.float64], budget: Callable[[float], Any]) -> tuple[list[Any], list[int]]:
    """The different budgets, and which of them each person has (nothing: all the first)."""
    if values.ndim == 0:
        return [budget(float(values))], []
    different, kind_of = np.unique(values, return_inverse=True)
    return [budget(float(value)) for value in different], kind_of.ravel().tolist()
