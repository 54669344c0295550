"""Gaussian differential privacy: mu, eps and delta, each from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _core
from ._arguments import number_of
from ._values import Bound

if TYPE_CHECKING:
    import numpy.typing as npt

    ArrayLike = npt.ArrayLike


def _spread(first: ArrayLike, second: ArrayLike) -> tuple[npt.NDArray[np.float64], ...]:
    pair = np.broadcast_arrays(np.asarray(first, np.float64), np.asarray(second, np.float64))
    return tuple(np.ascontiguousarray(x) for x in pair)


@overload
def epsilon(*, mu: float, delta: float) -> Bound: ...  # type: ignore[misc]
@overload
def epsilon(*, mu: ArrayLike, delta: ArrayLike) -> npt.NDArray[np.void]: ...
def epsilon(*, mu: Any, delta: Any) -> Any:
    """The smallest eps for which mu-GDP implies (eps, delta)-DP.

    >>> epsilon(mu=1.0, delta=1e-5)  # doctest: +ELLIPSIS
    Bound(lower=4.377178..., upper=4.377178...)

    Arrays are broadcast, and give an array with the fields ``lower`` and ``upper``:

    >>> epsilon(mu=[0.5, 1.0], delta=1e-5)["upper"].round(3)
    array([1.993, 4.377])
    """
    if np.ndim(mu) == np.ndim(delta) == 0:
        return Bound(*_core.epsilon(number_of("mu", mu), number_of("delta", delta)))
    mus, deltas = _spread(mu, delta)
    return _core.epsilons(mus.ravel(), deltas.ravel()).reshape(mus.shape)


@overload
def delta(*, mu: float, epsilon: float) -> Bound: ...  # type: ignore[misc]
@overload
def delta(*, mu: ArrayLike, epsilon: ArrayLike) -> npt.NDArray[np.void]: ...
def delta(*, mu: Any, epsilon: Any) -> Any:
    """The smallest delta for which mu-GDP implies (eps, delta)-DP.

    >>> 0.126936 < delta(mu=1.0, epsilon=1.0).upper < 0.126937
    True
    """
    if np.ndim(mu) == np.ndim(epsilon) == 0:
        return Bound(*_core.delta(number_of("epsilon", epsilon), number_of("mu", mu)))
    mus, epsilons = _spread(mu, epsilon)
    return _core.deltas(epsilons.ravel(), mus.ravel()).reshape(mus.shape)


def mu(*, epsilon: float, delta: float) -> Bound:
    """The largest mu for which mu-GDP implies (eps, delta)-DP: what a budget is worth. Spend its lower end.

    >>> mu(epsilon=1.0, delta=1e-5).lower  # doctest: +ELLIPSIS
    0.26805112321...
    """
    return Bound(*_core.mu(number_of("epsilon", epsilon), number_of("delta", delta)))


def advantage(*, mu: float) -> Bound:
    """The most by which any attack's true-positive rate exceeds its false-positive rate.

    >>> 0.382924 < advantage(mu=1.0).upper < 0.382925
    True
    """
    return Bound(*_core.advantage(number_of("mu", mu)))


def true_positive_rate(*, mu: float, false_positive_rate: float) -> Bound:
    """The best true-positive rate of a membership attack with this false-positive rate.

    >>> 0.0923 < true_positive_rate(mu=1.0, false_positive_rate=0.01).upper < 0.0925
    True
    """
    return Bound(*_core.true_positive_rate(number_of("mu", mu), number_of("false_positive_rate", false_positive_rate)))
