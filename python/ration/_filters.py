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

        Takes everybody's norms, before clipping. Who is left out pays nothing, must contribute nothing, and
        may be admitted again to a smaller step. Who is admitted is private. After a refusal nobody has been
        charged.
        """
        return self._core.admit(*self._step(noise, clip, rate), _one_step(norms))  # type: ignore[no-any-return]

    def could_admit(self, norms: npt.ArrayLike, most: int) -> npt.NDArray[np.uint32]:
        """How many like steps in a row each person could still take part in, at most ``most``. Charges
        nobody. Private."""
        array = _one_step(norms)
        if array.dtype != np.float32:
            array = _rounded_up(array)
        times = min(whole_of("most", most), 2**32 - 1)
        return self._core.could_admit(self.noise, self.clip, self.rate, array, times)  # type: ignore[no-any-return]

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

    One budget: ``mu``, or ``epsilon`` and ``delta``, or ``steps``, as much as so many steps cost a person at the
    clip bound. Each may be an array, with one value for each person.

    >>> filter = GdpFilter(2, noise=100, epsilon=0.8, delta=1e-5)
    >>> int(sum(filter.admit([1.0, 0.5])[0] for step in range(500)))
    478
    """

    _core_class = _core.GdpFilter
    _kind = "gdp-filter"
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
        kinds, kind_of = _budgets(mu, epsilon, delta, steps, _core.epsilon_budget, self.noise, 1.0)
        self._core = _core.GdpFilter(whole_of("people", people), kinds, kind_of)

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

    _core_class = _core.RenyiFilter
    _kind = "renyi-filter"
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

        def shaped(eps: float, dlt: float) -> Any:
            sampled = (self.noise, self.rate) if self.rate < 1 else ()
            return _core.epsilon_budget(eps, dlt, *sampled)

        kinds, kind_of = _budgets(mu, epsilon, delta, steps, shaped, self.noise, self.rate)
        self._core = _core.RenyiFilter(whole_of("people", people), kinds, kind_of, list(orders))


def _budgets(
    mu: Optional[npt.ArrayLike],
    epsilon: Optional[npt.ArrayLike],
    delta: Optional[float],
    steps: Optional[npt.ArrayLike],
    epsilon_budget: Callable[[float, float], Any],
    noise: float,
    rate: float,
) -> tuple[list[Any], list[int]]:
    """The different budgets, and which of them each person has (nothing: all the first)."""
    if sum(given is not None for given in (mu, epsilon, steps)) != 1:
        raise TypeError("a filter needs one budget: give mu, or epsilon and delta, or steps")
    if (epsilon is None) != (delta is None):
        raise TypeError("epsilon and delta belong together")
    if mu is not None:
        return _kinds(mu, _core.mu_budget)
    if steps is not None:
        return _kinds(steps, lambda count: _core.steps_budget(noise, rate, count))
    assert epsilon is not None and delta is not None
    shared = number_of("delta", delta)
    return _kinds(epsilon, lambda eps: epsilon_budget(eps, shared))


def _kinds(values: npt.ArrayLike, budget: Callable[[float], Any]) -> tuple[list[Any], list[int]]:
    array = np.asarray(values, np.float64)
    if array.ndim == 0:
        return [budget(float(array))], []
    different, kind_of = np.unique(array, return_inverse=True)
    return [budget(float(value)) for value in different], kind_of.ravel().tolist()


def _one_step(norms: npt.ArrayLike) -> npt.NDArray[Any]:
    array = norms_of(norms)
    if array.ndim != 1:
        raise ValueError(f"norms have {array.ndim} dimensions: give one norm for each person")
    return array


def _rounded_up(norms: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """In 32 bits, none below what it was; as large as they get there, where they are larger."""
    largest = np.finfo(np.float32).max
    with np.errstate(over="ignore"):
        near = norms.astype(np.float32)
        up = np.where(near < norms, np.nextafter(near, np.float32(np.inf)), near)
    return np.where(np.isinf(up) & np.isfinite(norms), largest, up)
