"""What was run, and what it costs everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence, Union

from . import _core
from ._arguments import whole_of
from ._values import Bound, Guarantee, Privacy


@dataclass(frozen=True)
class Gaussian:
    """Adds normal noise of ``noise`` times the clip bound to a sum over a Poisson sample.

    Each person takes part with probability ``rate``; 1 means everybody at every step.
    """

    noise: float
    rate: float = 1.0
    steps: int = 1

    def _entry(self) -> _core.PlanEntry:
        return _core.gaussian(self.noise, self.rate, self.steps)


@dataclass(frozen=True)
class Laplace:
    """Adds Laplace noise of scale ``noise`` times the bound on what one person can change."""

    noise: float
    steps: int = 1

    def _entry(self) -> _core.PlanEntry:
        return _core.laplace(self.noise, self.steps)


@dataclass(frozen=True)
class RandomisedResponse:
    """Reports a person's answer, one of ``options``, as it is with probability ``truth``, and else
    one of the others, each as likely."""

    truth: float
    options: int = 2
    steps: int = 1

    def _entry(self) -> _core.PlanEntry:
        return _core.randomised_response(self.truth, self.options, self.steps)


@dataclass(frozen=True)
class DiscretePair:
    """Any mechanism with finitely many outcomes: their probabilities with the person ``present`` and
    ``absent``."""

    present: Sequence[float]
    absent: Sequence[float]
    steps: int = 1

    def _entry(self) -> _core.PlanEntry:
        return _core.discrete_pair(list(self.present), list(self.absent), self.steps)


Mechanism = Union[Gaussian, Laplace, RandomisedResponse, DiscretePair]
Plan = Union[Mechanism, Iterable[Mechanism]]


def entries(plan: Plan) -> list[_core.PlanEntry]:
    """The plan as the core reads it."""
    kinds = (Gaussian, Laplace, RandomisedResponse, DiscretePair)
    listed = [plan] if isinstance(plan, kinds) else list(plan)
    for item in listed:
        if not isinstance(item, kinds):
            raise TypeError(f"a plan holds Gaussian, Laplace, RandomisedResponse and DiscretePair, not {type(item).__name__}")
    return [item._entry() for item in listed]


def compose(
    plan: Plan,
    *,
    delta: Optional[float] = None,
    epsilon: Optional[float] = None,
    method: Optional[str] = None,
    orders: Sequence[float] = (),
    accuracy: Optional[float] = None,
    household: int = 1,
) -> Privacy:
    """The eps of a plan at ``delta``, or its delta at ``epsilon``.

    ``method`` is ``contour``, ``fourier``, ``rdp`` or ``gdp``; by default the tightest certified one.
    ``orders`` are those of ``rdp``, by default all real ones; ``accuracy`` is the width of eps that is
    good enough for ``fourier``. With ``household`` it is what holds for so many people together, all of them in the
    data or none: exact for normal noise without sampling, else an upper bound (docs/math/household.md).

    >>> print(compose(Gaussian(noise=100, steps=420), delta=1e-5))
    (0.745139, 1e-05)-DP by gdp (certified; steps may be adaptive within these; add or remove one person)
    >>> sampled = compose([Gaussian(noise=2, rate=0.005, steps=10_000)], delta=1e-6)
    >>> round(sampled.epsilon.upper, 6), sampled.direction
    (1.150179, 'remove')
    >>> round(compose(Gaussian(noise=5), delta=1e-5, household=2).epsilon.upper, 6)
    1.554982
    """
    if (delta is None) == (epsilon is None):
        raise TypeError("compose needs one of delta and epsilon")
    width = _core.default_accuracy if accuracy is None else accuracy
    people = whole_of("household", household)
    if delta is not None:
        found = _core.compose(entries(plan), delta, method, list(orders), width, people)
    else:
        assert epsilon is not None
        found = _core.delta_at(entries(plan), epsilon, method, list(orders), width, people)
    return _privacy(found)


def _privacy(found: tuple[Any, ...]) -> Privacy:
    epsilon, delta, direction, method, guarantee = found
    return Privacy(Bound(*epsilon), Bound(*delta), direction, method, Guarantee(*guarantee))


def calibrate_noise(*, epsilon: float, delta: float, rate: float = 1.0, steps: int = 1) -> float:
    """The smallest noise, to ten digits, whose certified eps is at most ``epsilon``.

    >>> noise = calibrate_noise(epsilon=2, delta=1e-5, rate=0.01, steps=1000)
    >>> compose(Gaussian(noise, rate=0.01, steps=1000), delta=1e-5).epsilon.upper <= 2
    True
    """
    return _core.calibrate_noise(epsilon, delta, rate, steps)


def calibrate_steps(*, epsilon: float, delta: float, noise: float, rate: float = 1.0) -> int:
    """The most steps whose certified eps is at most ``epsilon``; 0 if not even one fits.

    >>> calibrate_steps(epsilon=0.8, delta=1e-5, noise=100)
    478
    """
    return _core.calibrate_steps(epsilon, delta, noise, rate)


def calibrate_rate(*, epsilon: float, delta: float, noise: float, steps: int) -> float:
    """The largest rate, to ten digits, whose certified eps is at most ``epsilon``.

    >>> 0.004 < calibrate_rate(epsilon=1, delta=1e-5, noise=2, steps=10_000) < 0.005
    True
    """
    return _core.calibrate_rate(epsilon, delta, noise, steps)
