"""What filters and odometers of one currency have in common: the steps they are for, and how budgets are given."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Optional, Sequence, TypeVar

import numpy as np

from . import _core
from ._arguments import norms_of, number_of
from ._state import Stateful
from ._values import Guarantee

if TYPE_CHECKING:
    import numpy.typing as npt

Self = TypeVar("Self", bound="Gdp")
Budgets = tuple["npt.NDArray[np.float64]", Callable[[float], Any]]


class Controlled(Stateful):
    _method: ClassVar[str]
    _noun: ClassVar[str]  # in complaints

    def _start(self, people: int, budgets: Budgets, orders: Sequence[float]) -> None:
        """Makes the core. ``budgets`` are the values given, one or several, and what makes a budget of each."""
        raise NotImplementedError

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(*self._core.guarantee)

    def _budgets(
        self,
        mu: Optional[npt.ArrayLike],
        epsilon: Optional[npt.ArrayLike],
        delta: Optional[float],
        steps: Optional[npt.ArrayLike],
    ) -> Budgets:
        if sum(given is not None for given in (mu, epsilon, steps)) != 1:
            raise TypeError(f"{self._noun} needs one budget: give mu, or epsilon and delta, or steps")
        if (epsilon is None) != (delta is None):
            raise TypeError("epsilon and delta belong together")
        if mu is not None:
            return np.asarray(mu, np.float64), _core.mu_budget
        noise, rate = self.noise, self.rate
        if steps is not None:
            return np.asarray(steps, np.float64), lambda count: _core.steps_budget(noise, rate, count)
        assert epsilon is not None and delta is not None
        at = number_of("delta", delta)
        shape = (noise, rate) if rate < 1 else ()
        return np.asarray(epsilon, np.float64), lambda eps: _core.epsilon_budget(eps, at, *shape)


class Gdp(Controlled):
    """In mu squared, for steps in which everybody takes part."""

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
        self._start(people, self._budgets(mu, epsilon, delta, steps), ())

    @classmethod
    def load(  # type: ignore[override]
        cls: type[Self], path: str | os.PathLike[str], *, noise: float, clip: float
    ) -> Self:
        """What was saved goes on as it would have, bit for bit. Refuses a damaged file.

        A state file holds what was spent; the steps to come are described again.
        """
        return super().load(path, noise=noise, clip=clip, rate=1.0)


class Renyi(Controlled):
    """In divergences at fixed orders, for steps with and without Poisson sampling."""

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
        self._start(people, self._budgets(mu, epsilon, delta, steps), orders)


def one_step(norms: npt.ArrayLike) -> npt.NDArray[Any]:
    array = norms_of(norms)
    if array.ndim != 1:
        raise ValueError(f"norms have {array.ndim} dimensions: give one norm for each person")
    return array
