"""Odometers: levels fixed in advance, reached by everybody on their own."""

import pickle

import numpy as np
import pytest

import ration
from ration import GdpOdometer, RenyiOdometer

DELTA = 1e-5
BEYOND = 2**64 - 1


def test_levels_are_multiples_of_a_budget():
    odometer = GdpOdometer(3, noise=10, steps=4)
    assert odometer.levels.tolist() == [0, 0, 0]
    assert (odometer.reached(DELTA)["upper"] == 0).all()
    for step in range(9):
        expected = odometer.levels_after([1.0, 0.5, 0.0])
        odometer.record([1.0, 0.5, 0.0])
        assert (odometer.levels == expected).all()
    assert odometer.levels.tolist() == [3, 1, 0] and odometer.steps == 9
    worth = ration.epsilon(mu=np.sqrt(12) / 10, delta=DELTA).upper
    assert odometer.reached(DELTA)[0]["upper"] == pytest.approx(worth, abs=1e-9)


def test_beyond_the_last_of_some_levels_nothing_is_said():
    odometer = GdpOdometer(2, noise=1.0, mu=[1.0, 1.5])
    odometer.record([1.0, 0.1])
    assert odometer.levels.tolist() == [1, 1]
    odometer.record([1.0, 0.1])
    assert odometer.levels.tolist() == [2, 1]
    odometer.record([1.0, 0.1])
    assert odometer.levels.tolist() == [BEYOND, 1]
    assert np.isinf(odometer.reached(DELTA)[0]["upper"]) and np.isfinite(odometer.reached(DELTA)[1]["upper"])


def test_a_renyi_level_is_worth_the_eps_of_its_steps():
    odometer = RenyiOdometer(2, noise=1.0, rate=0.05, steps=10)
    for step in range(11):
        odometer.record(np.array([1.0, 0.0], np.float32))
    assert odometer.levels.tolist() == [2, 0]
    plan = ration.Gaussian(noise=1.0, rate=0.05, steps=20)
    tight = ration.compose(plan, delta=DELTA).epsilon.lower
    assert tight <= odometer.reached(DELTA)[0]["upper"] < 2 * tight


@pytest.mark.parametrize(
    "made",
    [
        lambda: GdpOdometer(50, noise=2.0, mu=0.5),
        lambda: GdpOdometer(50, noise=2.0, epsilon=[1, 2, 4], delta=DELTA),
        lambda: RenyiOdometer(50, noise=2.0, rate=0.1, epsilon=[1, 2, 4], delta=DELTA),
        lambda: RenyiOdometer(50, noise=2.0, rate=0.1, mu=0.4, orders=[2, 8]),
    ],
)
def test_saved_odometers_go_on_as_if_they_had_never_stopped(made, tmp_path):
    odometer = made()
    random = np.random.default_rng(1)
    for row in random.uniform(0, 2, (5, 50)):
        odometer.record(row)
    odometer.save(tmp_path / "o")
    sampled = {"rate": odometer.rate} if isinstance(odometer, RenyiOdometer) else {}
    loaded = type(odometer).load(tmp_path / "o", noise=odometer.noise, clip=odometer.clip, **sampled)
    pickled = pickle.loads(pickle.dumps(odometer))
    for row in random.uniform(0, 2, (5, 50)):
        for one in (odometer, loaded, pickled):
            one.record(row)
        assert (loaded.levels == odometer.levels).all() and (pickled.levels == odometer.levels).all()
    assert loaded.state_dict() == odometer.state_dict() == pickled.state_dict()


def test_refusals():
    with pytest.raises(TypeError, match="an odometer needs one budget"):
        GdpOdometer(1, noise=1.0)
    with pytest.raises(ration.RationError, match="do not increase"):
        GdpOdometer(1, noise=1.0, mu=[2.0, 1.0])
    with pytest.raises(ration.RationError, match="too close"):
        GdpOdometer(1, noise=1.0, mu=0.0)
    odometer = GdpOdometer(2, noise=1.0, mu=1.0)
    with pytest.raises(ration.RationError, match="person 1"):
        odometer.record([1.0, float("nan")])
    with pytest.raises(ration.RationError, match="rate"):
        odometer.record([1.0, 1.0], rate=0.5)
    with pytest.raises(ration.RationError, match="cover 1 people"):
        odometer.levels_after([1.0])
    assert odometer.steps == 0 and odometer.levels.tolist() == [0, 0]
    with pytest.raises(ValueError, match="renyi-odometer"):
        odometer.load_state_dict(RenyiOdometer(2, noise=1.0, mu=1.0).state_dict())


def test_a_filter_is_no_odometer(tmp_path):
    ration.GdpFilter(1, noise=1.0, mu=1.0).save(tmp_path / "f")
    with pytest.raises(ration.RationError, match="give a saved individual-gdp-odometer"):
        GdpOdometer.load(tmp_path / "f", noise=1.0, clip=1.0)


def test_what_was_spent_prints_no_value_and_says_what_it_is_worth():
    odometer = GdpOdometer(2, noise=3.0, mu=1.0)
    odometer.record([1.0, 0.5])
    assert repr(odometer.reached(DELTA)) == "<eps of 2 people at delta 1e-05 by gdp, certified; private>"
    assert odometer.guarantee.adaptive and "each fixed level" in odometer.guarantee.theorem
