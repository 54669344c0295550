"""What filters and odometers of one currency have in common: the steps they are for, and how budgets are given."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Optional, Sequence, TypeVar

import numpy as np

from . import _core
from ._arguments import norms_of, number_of
from ._core import RationError
from ._state import Stateful
from ._values import Guarantee

if TYPE_CHECKING:
    import numpy.typing as npt

Self = TypeVar("Self", bound="Gdp")
Budgets = tuple["npt.NDArray[np.float64]", Callable[[float], Any]]


class Controlled(Stateful):
    _method: ClassVar[str]
    _noun: ClassVar[str]  # in complaints

    def _start(self, people: int, budgets: Budgets, currency: _core.Currency) -> None:
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
        self._start(people, self._budgets(mu, epsilon, delta, steps), _core.currency("gdp", ()))

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
        self._start(people, self._budgets(mu, epsilon, delta, steps), _core.currency("rdp", list(orders)))


class Tight(Controlled):
    """In prices that are fixed beforehand, for one kind of sampled steps and one delta."""

    _method = "tight"

    def __init__(
        self,
        people: int,
        *,
        noise: float,
        clip: float = 1.0,
        rate: float,
        epsilon: Optional[npt.ArrayLike] = None,
        delta: Optional[float] = None,
        steps: Optional[npt.ArrayLike] = None,
        ratios: Sequence[float] = (),
    ) -> None:
        if (epsilon is None) == (steps is None):
            raise TypeError(f"{self._noun} of tight prices needs one budget: give epsilon and delta, or steps and delta")
        if delta is None:
            raise TypeError(f"delta is missing: the prices of {self._noun} are made for one")
        self._describe(noise, clip, rate)
        if self.rate == 1:
            raise RationError("rate is 1: tight prices are for sampled steps. Where everybody takes part, gdp is exact")
        budgets = self._budgets(None, epsilon, None if epsilon is None else delta, steps)
        values = budgets[0]
        if values.size == 0:
            raise RationError("budgets are none: give one, or one for each person")
        made = _core.tight_currency_for_epsilon if steps is None else _core.tight_currency_for_steps
        typical = [number_of("a ratio", ratio) for ratio in ratios]
        largest = float(values.max())
        self._start(people, budgets, made(self.noise, self.rate, largest, number_of("delta", delta), typical))


def one_step(norms: npt.ArrayLike) -> npt.NDArray[Any]:
    array = norms_of(norms)
    if array.ndim != 1:
        raise ValueError(f"norms have {array.ndim} dimensions: give one norm for each person")
    return array
