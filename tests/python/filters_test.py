"""Filters: nobody above their budget, exactly as many steps as fit."""

import pickle
import threading
import time

import numpy as np
import pytest

import ration
from ration import Accounts, GdpFilter, RenyiFilter
from ration._books import admit_and_charge

DELTA = 1e-5


def test_gdp_admits_step_478_and_halts_step_479_at_eps_0_8():
    filter = GdpFilter(2, noise=100, epsilon=0.8, delta=DELTA)
    admitted = np.array([filter.admit(np.ones(2, np.float32)) for _ in range(600)])
    assert admitted.sum(axis=0).tolist() == [478, 478]
    assert admitted[477].all() and not admitted[478].any()
    assert (filter.spent(DELTA)["upper"] <= filter.budget(DELTA).upper).all()
    assert filter.budget(DELTA).upper <= 0.8 + 1e-12


def test_who_is_left_out_pays_nothing_and_may_come_back():
    filter = GdpFilter(1, noise=1.0, mu=1.0)
    assert filter.admit([0.9]).tolist() == [True]
    assert filter.admit([0.9]).tolist() == [False]
    assert filter.admit([0.1]).tolist() == [True]


def test_everybody_has_their_own_budget():
    filter = GdpFilter(3, noise=1.0, steps=[2, 5, 2])
    assert np.array([filter.admit(np.ones(3)) for _ in range(7)]).sum(axis=0).tolist() == [2, 5, 2]
    assert filter.budget(DELTA, person=1).upper > filter.budget(DELTA, person=0).upper


def test_renyi_budget_in_steps_admits_exactly_those_and_more_of_smaller_ones():
    filter = RenyiFilter(2, noise=1.0, rate=0.01, steps=30)
    admitted = np.array([filter.admit([1.0, 0.5]) for _ in range(100)])
    assert admitted[:, 0].sum() == 30 and admitted[:, 1].sum() > 100 / 3


def test_renyi_never_exceeds_its_eps():
    filter = RenyiFilter(1, noise=1.0, rate=0.01, epsilon=1.0, delta=DELTA)
    steps = sum(bool(filter.admit([1.0])[0]) for _ in range(500))
    assert filter.budget(DELTA).upper <= 1.0 + 1e-9
    assert 0 < steps < 500
    assert ration.compose(ration.Gaussian(1, 0.01, steps), delta=DELTA).epsilon.upper <= 1.0
    assert (filter.spent(DELTA)["upper"] <= 1.0 + 1e-9).all()


@pytest.mark.parametrize("made", [lambda: GdpFilter(3, noise=2.0, steps=7), lambda: RenyiFilter(3, noise=2.0, rate=0.1, steps=7)])
def test_could_admit_foretells_and_charges_nobody(made):
    filter = made()
    norms = np.array([1.0, 0.7, 0.0])
    foretold = filter.could_admit(norms, 20)
    assert filter.steps == 0
    assert np.array([filter.admit(norms) for _ in range(20)]).sum(axis=0).tolist() == foretold.tolist()
    assert foretold[0] == 7 and foretold[2] == 20
    assert made().could_admit(np.array([1e39, 1e300, 0.0]), 20).tolist() == [7, 7, 20]
    assert made().could_admit(norms, 10**12)[0] == 7


@pytest.mark.parametrize("made", [lambda: GdpFilter(50, noise=2.0, mu=2.0), lambda: RenyiFilter(50, noise=2.0, rate=0.1, mu=0.4)])
def test_saved_filters_decide_as_if_they_had_never_stopped(made, tmp_path):
    norms = np.random.default_rng(3).uniform(0, 1, (40, 50))
    filter = made()
    for row in norms[:20]:
        filter.admit(row)
    filter.save(tmp_path / "f")
    sampled = {"rate": filter.rate} if isinstance(filter, RenyiFilter) else {}
    loaded = type(filter).load(tmp_path / "f", noise=filter.noise, clip=filter.clip, **sampled)
    pickled = pickle.loads(pickle.dumps(filter))
    for row in norms[20:]:
        expected = filter.admit(row)
        assert (loaded.admit(row) == expected).all() and (pickled.admit(row) == expected).all()


def test_budgets_that_make_no_sense_are_refused():
    with pytest.raises(TypeError, match="one budget"):
        GdpFilter(1, noise=1.0)
    with pytest.raises(TypeError, match="one budget"):
        GdpFilter(1, noise=1.0, mu=1.0, steps=3)
    with pytest.raises(TypeError, match="belong together"):
        GdpFilter(1, noise=1.0, epsilon=1.0)
    with pytest.raises(ValueError):
        GdpFilter(3, noise=1.0, mu=[1.0, 2.0])
    with pytest.raises(ration.RationError, match="rate"):
        GdpFilter(1, noise=1.0, mu=1.0).admit([1.0], rate=0.5)
    with pytest.raises(ration.RationError, match="person"):
        GdpFilter(1, noise=1.0, mu=1.0).budget(DELTA, person=1)


def test_a_refused_step_charges_nobody():
    filter = GdpFilter(2, noise=1.0, mu=1.0)
    with pytest.raises(ration.RationError):
        filter.admit([1.0, float("nan")])
    assert filter.steps == 0 and (filter.spent(DELTA)["upper"] == 0).all()
    with pytest.raises(ValueError):
        filter.admit([[1.0, 1.0]])


def test_what_was_spent_prints_no_value():
    filter = GdpFilter(2, noise=3.0, mu=1.0)
    filter.admit([1.0, 0.5])
    assert repr(filter.spent(DELTA)) == "<eps of 2 people at delta 1e-05 by gdp, certified; private>"
    assert filter.guarantee.adaptive and not filter.spent(DELTA).guarantee.adaptive
    assert "budget" in filter.guarantee.theorem and "budget" not in filter.spent(DELTA).guarantee.theorem


def test_filters_say_what_they_guarantee():
    assert GdpFilter(1, noise=1.0, mu=1.0).guarantee.adaptive
    assert RenyiFilter(1, noise=1.0, mu=1.0).guarantee.certified


class Meddler:
    """A thread that calls write() again and again while the block runs."""

    def __init__(self, write):
        self.stop = threading.Event()
        self.thread = threading.Thread(target=lambda: [write() for _ in iter(self.stop.is_set, True)])

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


def test_a_nan_that_comes_and_goes_leaves_nobody_admitted_and_uncharged():
    people, changing = 300_000, 200_000
    norms = np.full(people, 0.5, np.float32)
    filter = GdpFilter(people, noise=100, mu=10)
    admitted, refusals = np.zeros(people, np.int64), set()

    def write():
        norms[changing] = np.nan
        norms[changing] = 0.5

    with Meddler(write):
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            try:
                admitted += filter.admit(norms)
            except ration.RationError as refused:
                refusals.add(str(refused))
    assert all("not a number" in text or "nobody was charged" in text for text in refusals)
    counts = np.unique(admitted)
    expected = GdpFilter(len(counts), noise=100, mu=10)
    for step in range(counts.max()):
        expected.admit(np.where(step < counts, 0.5, 0))
    assert np.array_equal(filter.spent(DELTA)["upper"], expected.spent(DELTA)["upper"][np.searchsorted(counts, admitted)])


def test_accounts_hold_what_the_filter_charged_though_norms_change_meanwhile():
    people = 100_000
    norms = np.full(people, 0.5)
    accounts, filter = Accounts(people, noise=10), GdpFilter(people, noise=10, mu=2)

    def write():
        norms[::3] = 1.0
        norms[::3] = 0.5

    with Meddler(write):
        end = time.monotonic() + 1
        while time.monotonic() < end:
            paid = admit_and_charge(accounts, filter, norms, noise=10, clip=1, rate=1)
            assert np.isin(paid, [0, 0.5, 1]).all()
    assert np.array_equal(accounts.epsilon(DELTA)["upper"], filter.spent(DELTA)["upper"])
