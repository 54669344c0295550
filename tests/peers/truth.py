"""A third computation of delta(eps), which shares no code with ours or with any peer's, to say who is right.

One step: the closed form in 50 digits. More: the inverse Laplace transform of docs/math/contour.md by the plain
trapezoid rule, with many more points than are needed and no attempt at speed. It carries
no proof of its error; it is run twice, with finer steps the second time, and both must agree.
"""

from __future__ import annotations

import numpy as np
from mpmath import exp, log, mp, mpf, ncdf

from plans import Plan, Steps

Array = np.ndarray


class NotConverged(Exception):
    pass


def delta_at(plan: Plan, epsilon: float) -> float:
    """delta(eps) of the plan, the larger of both directions, to at least six digits."""
    if len(plan.entries) == 1 and plan.entries[0].count == 1:
        return _one_step(plan.entries[0], epsilon)
    coarse, fine = (
        max(_contour(plan, epsilon, direction, fineness) for direction in ("remove", "add")) for fineness in (1, 2)
    )
    if abs(coarse - fine) > 1e-7 * fine:
        raise NotConverged(f"{plan} at {epsilon}: {coarse} and {fine}")
    return fine


def _one_step(steps: Steps, epsilon: float) -> float:
    """H_a(P||Q) = q H_a'(N(1, s^2)||N(0, s^2)) with a' = 1 + (a - 1)/q, and by Q = (P - qN)/(1 - q) the reverse."""
    with mp.workdps(50):
        q, s, a = mpf(steps.rate), mpf(steps.noise), exp(mpf(epsilon))
        remove = q * _gaussian(log(1 + (a - 1) / q), s)
        # Q - aP = (1 - a(1-q)) Q - a q N(1): positive only while a (1-q) < 1.
        rest = 1 - a * (1 - q)
        add = rest * _gaussian(log(a * q / rest), s) if rest > 0 else mpf(0)
        return float(max(remove, add))


def _gaussian(epsilon: mpf, s: mpf) -> mpf:
    return ncdf(-epsilon * s + 1 / (2 * s)) - exp(epsilon) * ncdf(-epsilon * s - 1 / (2 * s))


def _contour(plan: Plan, epsilon: float, direction: str, fineness: int) -> float:
    """(1/pi) Int_0^inf Re[exp(K(z) - eps z) / (z (z+1))] dt on the line z = tilt + it."""
    tilt = 0.7 * _saddle(plan, epsilon, direction)
    top = float(_log_moment(plan, np.array([tilt + 0j]), direction, fineness)[0].real) - epsilon * tilt
    # The next copy of the curve lies 2 pi / step to the left, where it is damped by exp(-2 pi tilt / step).
    step = 2 * np.pi * tilt / (30 + 30 * fineness)
    total, start = 0.0, 0
    while start < _MOST_POINTS:
        z = tilt + 1j * step * np.arange(start, start + _BLOCK)
        terms = (np.exp(_log_moment(plan, z, direction, fineness) - epsilon * z - top) / (z * (z + 1))).real
        if start == 0:
            terms[0] /= 2
        total += terms.sum()
        start += _BLOCK
        if np.abs(terms).max() < 1e-12 * abs(total):
            return float(total * step / np.pi * np.exp(top))
    raise NotConverged(f"{plan} at {epsilon}, {direction}: no end after {start} points")


_BLOCK, _MOST_POINTS = 128, 20_000


def _saddle(plan: Plan, epsilon: float, direction: str) -> float:
    tilts = np.geomspace(1e-2, 1e4, 121)
    heights = _log_moment(plan, tilts + 0j, direction, 1).real - epsilon * tilts - np.log(tilts * (1 + tilts))
    return float(tilts[np.argmin(heights)])


def _log_moment(plan: Plan, z: Array, direction: str, fineness: int) -> Array:
    """K(z) of all steps; of one, log E_Q[(P/Q)^(1+z)] for remove and log E_Q[(P/Q)^-z] for add."""
    power = 1 + z if direction == "remove" else -z
    return sum(s.count * _one_log_moment(s, power, fineness) for s in plan.entries)


def _one_log_moment(steps: Steps, power: Array, fineness: int) -> Array:
    s = steps.noise
    if steps.rate == 1:
        return power * (power - 1) / (2 * s**2)
    # The integrand is a normal density times (1-q+q exp(u/s - 1/2s^2))^power: its bulk ends before power/s + 12.
    reach = max(0.0, float(power.real.max())) / s
    u, width = np.linspace(-12, reach + 12, int((reach + 24) * 25 * fineness), retstep=True)
    loss = np.log1p(steps.rate * np.expm1(np.minimum(u / s - 1 / (2 * s**2), 600)))
    exponent = power[:, None] * loss - u**2 / 2
    largest = exponent.real.max(axis=1)
    sums = np.exp(exponent - largest[:, None]).sum(axis=1) * width / np.sqrt(2 * np.pi)
    return np.log(sums) + largest
