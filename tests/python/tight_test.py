"""The tight filter: exact whole units, more steps than the Renyi filter, prices that are made once."""

import math
import pickle
import struct
import threading
import time

import numpy as np
import pytest

import ration
from ration import RationError, RenyiFilter, TightFilter, TightOdometer

DELTA = 1e-5
STEP = {"noise": 1.0, "rate": 0.01}
RUN = {**STEP, "epsilon": 1.83, "delta": DELTA}
WHOLE = 2**20  # units of a step at the clip bound


@pytest.fixture(scope="module")
def made():
    """A filter of one person, whose prices are made once for all tests. Copies of it start anew."""
    return TightFilter(1, **RUN)


def sections(filter):
    """What a state holds, as docs/state.md says where it lies."""
    data = filter.state_dict()["state"]
    (count,) = struct.unpack_from("<I", data, 12)
    found, at = {}, 64 + 64 * count
    for header in range(64, at, 64):
        kind, _, length = struct.unpack_from("<IIQ", data, header + 48)
        dtype = np.dtype({2: "<u4", 3: "<u8", 4: "<f8"}[kind])
        found[data[header : header + 48].rstrip(b"\0").decode()] = np.frombuffer(data, dtype, length, at).tolist()
        at += -(-length * dtype.itemsize // 8) * 8
    return found


def prices_of(norms, **step):
    """What each norm costs whoever is far from the end: what a first step charges."""
    filter = TightFilter(len(norms), **RUN)
    assert filter.admit(norms, **step).all()
    return sections(filter)["spent"]


def test_more_steps_fit_than_under_renyi_at_every_norm(made):
    norms = np.geomspace(1, 1 / 16, 33)
    tight = TightFilter(len(norms), **RUN).could_admit(norms, 2**31)
    renyi = RenyiFilter(len(norms), **RUN).could_admit(norms, 2**31)
    assert (tight > 1.2 * renyi).all()
    assert tight[0] == made.worst_case_steps() > 1.3 * renyi[0]
    assert renyi[0] == RenyiFilter(1, **RUN).worst_case_steps()


def test_worst_case_steps_are_within_the_budget_and_most_of_what_tight_accounting_allows(made):
    steps = made.worst_case_steps()
    possible = ration.calibrate_steps(noise=1.0, rate=0.01, epsilon=1.83, delta=DELTA)
    assert 0.93 * possible < steps <= possible
    assert made.budget(DELTA).lower < made.budget(DELTA).upper <= 1.83


def test_a_budget_in_steps_is_worth_exactly_those():
    filter = TightFilter(3, **STEP, steps=[700, 1000, 900], delta=DELTA)
    assert [filter.worst_case_steps(person) for person in range(3)] == [700, 1000, 900]
    assert filter.could_admit(np.ones(3), 5000).tolist() == [700, 1000, 900]
    worth = [filter.budget(DELTA, person) for person in range(3)]
    assert worth[0].upper <= worth[2].upper <= worth[1].upper
    assert worth[1].upper > ration.compose(ration.Gaussian(1, 0.01, 1000), delta=DELTA).epsilon.lower


def test_everybody_has_their_own_eps():
    filter = TightFilter(3, **STEP, epsilon=[1.5, 1.83, 1.5], delta=DELTA)
    assert filter.budget(DELTA).upper <= 1.5 < filter.budget(DELTA, person=1).upper <= 1.83
    fit = filter.could_admit(np.ones(3), 5000).tolist()
    assert fit[0] == fit[2] == filter.worst_case_steps(0) < fit[1] == filter.worst_case_steps(1)


def test_prices_are_those_of_the_list_and_grow_with_the_norm(made):
    entries = np.array(sections(made)["prices"]).reshape(-1, 3)
    assert entries[0].tolist() == [1.0, 0.01, WHOLE]
    norms = np.sort(np.concatenate([np.random.default_rng(2).uniform(0, 1.5, 500), [0, 1e-9, 1, 1e30]]))
    prices = prices_of(norms)
    assert prices == sorted(prices) and prices[0] == 0 and prices[1] > 0
    for norm, price in zip(norms[1:], prices[1:]):
        part, exponent = math.frexp(norm)  # a norm pays as the next of 1024 an octave does
        edge = min(math.ldexp(math.ceil(part * 2048), exponent - 11), 1.0)
        last = np.flatnonzero(entries[:, 0] * edge <= 1.0)[-1]
        smaller = entries[last + 1, 2] if last + 1 < len(entries) else 0
        assert smaller < price <= entries[last, 2]
    assert set(prices) <= set(range(WHOLE + 1))
    assert all(a <= b for a, b in zip(prices_of(norms, noise=1.5), prices))
    assert all(a <= b for a, b in zip(prices_of(norms, rate=0.005), prices))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_decisions_and_totals_are_those_of_whole_numbers(dtype):
    people = 40
    random = np.random.default_rng(5)
    sizes = np.concatenate([[0.0, 1e-30, 1.0, 7.0], random.uniform(0, 1.3, 16)]).astype(dtype)
    price = dict(zip(sizes.tolist(), prices_of(sizes)))
    epsilon = random.choice([1.5, 1.7, 1.83], people)
    epsilon[0] = 1.83
    filter = TightFilter(people, **STEP, epsilon=epsilon, delta=DELTA)
    assert sections(filter)["prices"] == sections(TightFilter(1, **RUN))["prices"]
    near_the_end = (int(sections(filter)["terms"][1]) + 1) * WHOLE
    budgets, spent = sections(filter)["budgets"], [0] * people
    left_out = near = back = 0
    was_left_out = [False] * people
    for step in range(2500):
        norms = random.choice(sizes, people)
        expected = []
        for person, norm in enumerate(norms.tolist()):
            left = budgets[person] - spent[person]
            cost = WHOLE if norm and left < near_the_end else price[norm]
            takes_part = cost <= left
            expected.append(takes_part)
            spent[person] += cost if takes_part else 0
            near += cost != price[norm]
            back += takes_part and was_left_out[person]
            left_out += not takes_part
            was_left_out[person] = not takes_part
        assert filter.admit(norms).tolist() == expected
        if step % 250 == 0:
            assert sections(filter)["spent"] == spent
    assert sections(filter)["spent"] == spent and sections(filter)["budgets"] == budgets
    assert left_out > 1000 and near > 100 and back > 100


def test_state_goes_on_bit_for_bit_and_prices_are_not_made_again(tmp_path):
    random = np.random.default_rng(8)
    began = time.perf_counter()
    filter = TightFilter(30, **STEP, epsilon=[1.5] * 15 + [1.83] * 15, delta=DELTA)
    making = time.perf_counter() - began
    for _ in range(1200):
        filter.admit(random.uniform(0, 1.5, 30))
    filter.save(tmp_path / "f")
    began = time.perf_counter()
    loaded = TightFilter.load(tmp_path / "f", clip=1.0, **STEP)
    assert time.perf_counter() - began < making / 2
    dictionary = TightFilter.__new__(TightFilter)
    dictionary.load_state_dict(filter.state_dict())
    others = [loaded, dictionary, pickle.loads(pickle.dumps(filter))]
    assert (tmp_path / "f").read_bytes() == filter.state_dict()["state"]
    for _ in range(400):
        norms = random.uniform(0, 1.5, 30)
        expected = filter.admit(norms)
        assert all((one.admit(norms) == expected).all() for one in others)
    assert 0 < expected.sum() < 30
    assert all(one.state_dict() == filter.state_dict() for one in others)
    assert all(one.guarantee == filter.guarantee and one.budget(DELTA) == filter.budget(DELTA) for one in others)


def test_ratios_say_whom_prices_suit():
    small, large = (TightFilter(1, **RUN, ratios=ratios) for ratios in ([8, 16], [1]))
    assert small.could_admit([1 / 16], 2**31) > large.could_admit([1 / 16], 2**31)
    assert small.worst_case_steps() < large.worst_case_steps()
    assert small.budget(DELTA).upper <= 1.83 and large.budget(DELTA).upper <= 1.83


def test_other_threads_run_while_prices_are_made():
    maker = threading.Thread(target=lambda: TightFilter(1, **RUN))
    turns = 0
    maker.start()
    while maker.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 10


def test_what_prices_were_not_made_for_is_refused_and_charges_nobody(made):
    filter = pickle.loads(pickle.dumps(made))
    with pytest.raises(RationError, match="noise"):
        filter.admit([1.0], noise=0.9)
    with pytest.raises(RationError, match="rate"):
        filter.admit([1.0], rate=0.02)
    with pytest.raises(RationError, match="not a number"):
        filter.admit([float("nan")])
    with pytest.raises(RationError, match="delta is 1e-06: give 1e-05"):
        filter.budget(1e-6)
    with pytest.raises(RationError, match="delta is 1e-06: give 1e-05"):
        filter.spent(1e-6)
    with pytest.raises(RationError, match="person"):
        filter.worst_case_steps(1)
    assert filter.state_dict() == made.state_dict() and filter.steps == 0


@pytest.mark.parametrize("kind", [TightFilter, TightOdometer])
@pytest.mark.parametrize(
    ("error", "match", "given"),
    [
        (TypeError, "give epsilon and delta, or steps and delta", {"delta": DELTA}),
        (TypeError, "needs one budget", {"epsilon": 1.0, "steps": 30, "delta": DELTA}),
        (TypeError, "delta is missing", {"epsilon": 1.0}),
        (TypeError, "delta is missing", {"steps": 30}),
        (TypeError, "mu", {"mu": 1.0}),
        (RationError, "rate is 1", {"epsilon": 1.0, "delta": DELTA, "rate": 1.0}),
        (RationError, "rate is 2", {"epsilon": 1.0, "delta": DELTA, "rate": 2.0}),
        (RationError, "delta is 2", {"epsilon": 1.0, "delta": 2.0}),
        (RationError, "epsilon is -1", {"epsilon": -1.0, "delta": DELTA}),
        (RationError, "epsilon", {"epsilon": [1.0, float("nan")], "delta": DELTA}),
        (RationError, "too small for one step", {"epsilon": 1e-4, "delta": 1e-9}),
        (RationError, "steps", {"steps": 0, "delta": DELTA}),
        (RationError, "none", {"steps": [], "delta": DELTA}),
        (RationError, "ratio is 0.5", {"epsilon": 1.83, "delta": DELTA, "ratios": [0.5]}),
        (TypeError, "a ratio is a str", {"epsilon": 1.83, "delta": DELTA, "ratios": ["x"]}),
    ],
)
def test_refusals_say_what_is_wrong(kind, error, match, given):
    with pytest.raises(error, match=match):
        kind(2, **{**STEP, **given})


def test_one_budget_for_each_person_or_one_for_all():
    with pytest.raises(RationError, match="budget"):
        TightFilter(3, **STEP, epsilon=[1.83, 1.83], delta=DELTA)


def test_what_was_spent_is_never_below_what_such_steps_cost(made):
    filter = pickle.loads(pickle.dumps(made))
    for _ in range(300):
        filter.admit([1.0])
    spent = filter.spent(DELTA)
    assert repr(spent) == "<eps of 1 people at delta 1e-05 by tight, certified; private>"
    assert ration.compose(ration.Gaussian(1, 0.01, 300), delta=DELTA).epsilon.upper <= spent["upper"][0] <= 1.83
    assert filter.guarantee.adaptive and filter.guarantee.certified and "price list" in filter.guarantee.theorem


def test_an_odometer_says_which_level_holds_as_its_filter_would():
    odometer = TightOdometer(2, **STEP, epsilon=[1.2, 1.5, 1.83], delta=DELTA)
    filter = TightFilter(3, **STEP, epsilon=[1.2, 1.5, 1.83], delta=DELTA)
    most, read = filter.could_admit(np.ones(3), 5000), []
    for _ in range(most[-1] + 1):
        odometer.record([1.0, 0.0])
        read.append(int(odometer.levels[0]))
    assert odometer.levels.tolist() == [2**64 - 1, 0] and np.isinf(odometer.reached(DELTA)["upper"][0])
    for level in (1, 2, 3):  # the last steps of a level are not told apart from the next one's
        assert 0.6 * most[level - 1] < np.count_nonzero(np.array(read) <= level) <= most[level - 1]
    odometer = TightOdometer(1, **STEP, epsilon=1.83, delta=DELTA)
    odometer.record([0.3])
    assert odometer.levels.tolist() == [1] and odometer.reached(DELTA)["upper"][0] <= 1.83


def test_a_ledger_does_not_count_in_tight_prices(made, tmp_path):
    ledger = ration.Ledger.create(
        tmp_path / "l", ids=["Ada"], currency="rdp", epsilon=2.0, delta=DELTA, shape=ration.Gaussian(1, 0.01)
    )
    grant = ledger.grant(token="t", epsilon=1.0, shape=ration.Gaussian(1, 0.01))
    with pytest.raises(RationError, match="counts in tight prices, which no ledger does"):
        grant.settle(made)
    with pytest.raises(ValueError, match="give one of renyi-filter"):
        grant.resume(made.state_dict(), **STEP)
