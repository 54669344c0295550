"""Plans: what they cost, in the numbers of the program."""

import json

import pytest

import ration
from ration import Gaussian


# Tight eps in the remove direction, by mpmath at 40 digits.
@pytest.mark.parametrize(
    "rate, noise, steps, delta, epsilon",
    [(0.005, 2, 10_000, 1e-6, 1.1501786607954), (0.01, 1, 1000, 1e-5, 1.82823666651658)],
)
@pytest.mark.parametrize("method", [None, "contour", "fourier"])
def test_eps_of_a_sampled_plan_encloses_the_reference(rate, noise, steps, delta, epsilon, method):
    found = ration.compose(Gaussian(noise, rate, steps), delta=delta, method=method)
    assert found.epsilon.lower <= epsilon + 1e-12 and found.epsilon.upper >= epsilon - 1e-12
    assert found.guarantee.certified and found.direction == "remove"


def test_gaussian_plans_have_the_closed_form():
    found = ration.compose([Gaussian(100, steps=400), Gaussian(100, steps=20)], delta=1e-5)
    assert found.method == "gdp" and found.guarantee.adaptive
    assert abs(found.epsilon.upper - 0.745138235521) < 1e-10


def test_short_orders_cost_more():
    plan = Gaussian(100, steps=420)
    real = ration.compose(plan, delta=1e-5, method="rdp").epsilon.upper
    short = ration.compose(plan, delta=1e-5, method="rdp", orders=range(2, 33)).epsilon.upper
    assert 0.815623 < real < short < 0.81563


def test_other_mechanisms():
    laplace = ration.compose(ration.Laplace(noise=1.0), delta=1e-10)
    assert laplace.epsilon.upper <= 1.001
    response = ration.compose(ration.RandomisedResponse(truth=0.75), epsilon=0.0)
    assert response.delta.lower <= 0.5 <= response.delta.upper  # 0.75 - 0.25
    pair = ration.compose(ration.DiscretePair(present=[0.75, 0.25], absent=[0.25, 0.75]), epsilon=0.0)
    assert pair.delta.lower <= 0.5 <= pair.delta.upper


def test_calibration_never_overshoots():
    noise = ration.calibrate_noise(epsilon=1, delta=1e-6, rate=0.01, steps=500)
    assert ration.compose(Gaussian(noise, 0.01, 500), delta=1e-6).epsilon.upper <= 1
    assert ration.compose(Gaussian(noise * (1 - 1e-8), 0.01, 500), delta=1e-6).epsilon.upper > 1
    assert ration.calibrate_steps(epsilon=0.1, delta=1e-5, noise=100) == 10
    rate = ration.calibrate_rate(epsilon=1, delta=1e-6, noise=noise, steps=500)
    assert abs(rate - 0.01) < 1e-8


def test_refusals_name_the_argument():
    with pytest.raises(ration.RationError, match="^noise is 0: give a number from 0.0001 to 1e8$"):
        ration.compose(Gaussian(0), delta=1e-5)
    with pytest.raises(ration.RationError, match="method is 'prv'"):
        ration.compose(Gaussian(1), delta=1e-5, method="prv")
    with pytest.raises(ration.RationError, match="steps is 1.5"):
        ration.compose(Gaussian(1, steps=1.5), delta=1e-5)
    with pytest.raises(TypeError, match="one of delta and epsilon"):
        ration.compose(Gaussian(1))
    with pytest.raises(TypeError, match="not float"):
        ration.compose([1.0], delta=1e-5)
    with pytest.raises(ration.RationError):
        ration.compose([], delta=1e-5)


def test_results_print_upper_ends_rounded_up_and_convert_to_what_the_program_writes():
    found = ration.compose(Gaussian(100, steps=420), delta=1e-5)
    assert str(found).startswith("(0.745139, 1e-05)-DP by gdp")
    assert float(str(found)[1:9]) >= found.epsilon.upper
    read = json.loads(json.dumps(found.to_dict()))
    assert set(read) == {"epsilon", "delta", "direction", "method", "guarantee"}
    assert read["epsilon"] == {"lower": found.epsilon.lower, "upper": found.epsilon.upper}
    assert set(read["guarantee"]) == {"theorem", "adaptive", "certified", "neighbours"}
