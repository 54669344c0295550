"""What each accountant says of a plan, as a claim about eps: the truth is in [lower, upper].

An end that a tool does not claim is 0 or infinite. Each is called as its documentation shows, with its own
defaults; where these take minutes, the docstring says what is asked instead.
"""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import dp_accounting
import ration
from dp_accounting import pld, rdp
from dp_accounting.pld import privacy_loss_distribution
from opacus.accountants import create_accountant
from prv_accountant import GaussianMechanism, PoissonSubsampledGaussianMechanism, PRVAccountant

from plans import Plan, Steps


class Claim(NamedTuple):
    lower: float = 0.0
    upper: float = math.inf


def ration_compose(plan: Plan) -> Claim:
    """Ours: the tightest certified method."""
    epsilon = ration.compose([ration.Gaussian(*steps) for steps in plan.entries], delta=plan.delta).epsilon
    return Claim(*epsilon)


def dp_accounting_pld(plan: Plan) -> Claim:
    """The PLD accountant: a pessimistic estimate, an upper end."""
    return Claim(upper=pld.PLDAccountant().compose(_event(plan)).get_epsilon(plan.delta))


def dp_accounting_pld_optimistic(plan: Plan) -> Claim:
    """The same distributions rounded down: a lower end. The accountant does not offer it; its parts do. They
    round each step down by up to a grid cell, which adds up: a weak end after many steps. On a grid of 1e-3."""
    composed, dropped = None, 0.0
    for noise, rate, count in plan.entries:
        # Steps with everybody are one step with less noise, as the accountant has it.
        once = privacy_loss_distribution.from_gaussian_mechanism(
            noise if rate < 1 else noise / math.sqrt(count),
            pessimistic_estimate=False,
            value_discretization_interval=1e-3,
            sampling_prob=rate,
            use_connect_dots=False,
        )
        steps = once.self_compose(count, _TAIL) if rate < 1 else once
        composed = steps if composed is None else composed.compose(steps, _TAIL)
        dropped += 2 * _TAIL
    assert composed is not None
    # Composition counts what it cuts off as certain loss, which is not optimistic: allow for it in delta.
    return Claim(lower=composed.get_epsilon_for_delta(plan.delta + dropped))


_TAIL = 1e-15


def dp_accounting_rdp(plan: Plan) -> Claim:
    """The RDP accountant at its default orders: an upper end."""
    return Claim(upper=rdp.RdpAccountant().compose(_event(plan)).get_epsilon(plan.delta))


def prv_accountant(plan: Plan) -> Claim:
    """Both ends, with the errors its documentation calls typical: 0.1 in eps and delta/1000 in delta."""
    counts = [steps.count for steps in plan.entries]
    accountant = PRVAccountant(
        [_random_variable(steps) for steps in plan.entries],
        max_self_compositions=counts,
        eps_error=0.1,
        delta_error=plan.delta / 1000,
    )
    lower, _, upper = accountant.compute_epsilon(plan.delta, counts)
    return Claim(lower, upper)


def opacus_rdp(plan: Plan) -> Claim:
    return _opacus("rdp", plan)


def opacus_prv(plan: Plan) -> Claim:
    return _opacus("prv", plan)


def opacus_gdp(plan: Plan) -> Claim:
    """Takes one kind of steps only."""
    return _opacus("gdp", plan)


ACCOUNTANTS: dict[str, Callable[[Plan], Claim]] = {
    "ration": ration_compose,
    "dp_accounting PLD": dp_accounting_pld,
    "dp_accounting PLD, optimistic": dp_accounting_pld_optimistic,
    "dp_accounting RDP": dp_accounting_rdp,
    "prv_accountant": prv_accountant,
    "opacus prv": opacus_prv,
    "opacus rdp": opacus_rdp,
    "opacus gdp": opacus_gdp,
}

# Those that compose by Fourier transforms in double precision.
FOURIER = {"dp_accounting PLD", "dp_accounting PLD, optimistic", "prv_accountant", "opacus prv"}


def takes(name: str, plan: Plan) -> bool:
    """Opacus' gdp accountant refuses a change of noise or rate; all others take every plan."""
    return name != "opacus gdp" or len(plan.entries) == 1


def _opacus(mechanism: str, plan: Plan) -> Claim:
    accountant = create_accountant(mechanism)
    accountant.history = [tuple(steps) for steps in plan.entries]
    return Claim(upper=float(accountant.get_epsilon(plan.delta)))


def _event(plan: Plan) -> dp_accounting.DpEvent:
    return dp_accounting.ComposedDpEvent(
        [dp_accounting.SelfComposedDpEvent(_step(steps), steps.count) for steps in plan.entries]
    )


def _step(steps: Steps) -> dp_accounting.DpEvent:
    gaussian = dp_accounting.GaussianDpEvent(steps.noise)
    return gaussian if steps.rate == 1 else dp_accounting.PoissonSampledDpEvent(steps.rate, gaussian)


def _random_variable(steps: Steps) -> GaussianMechanism | PoissonSubsampledGaussianMechanism:
    if steps.rate == 1:
        return GaussianMechanism(steps.noise)
    return PoissonSubsampledGaussianMechanism(steps.rate, steps.noise)
