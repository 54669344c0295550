"""Accounts: a person's eps is that of what they were charged, whatever way it got there."""

import copy
import os
import pickle
import threading
import time
import tracemalloc

import numpy as np
import pytest

import ration
from ration import Accounts, Gaussian
from ration._arguments import indices_of

DELTA = 1e-5


def some_norms(steps=7, people=50, seed=1):
    return np.random.default_rng(seed).uniform(0, 1.5, (steps, people)).astype(np.float32)


def test_gdp_is_the_sum_of_squares():
    norms = some_norms()
    accounts = Accounts(50, noise=3.0, clip=1.0)
    for row in norms:
        accounts.record(row)
    mus = np.sqrt((np.minimum(norms.astype(float), 1) ** 2).sum(axis=0)) / 3
    truth = ration.epsilon(mu=mus, delta=DELTA)
    spent = accounts.epsilon(DELTA)
    assert spent.method == "gdp"
    assert (spent.upper >= truth["lower"] - 1e-12).all() and (spent.lower <= truth["upper"] + 1e-12).all()
    assert np.allclose(spent.upper, truth["upper"], rtol=1e-9)


def test_sampled_people_at_the_clip_bound_have_the_eps_of_the_plan():
    accounts = Accounts(3, noise=1.0, clip=2.0, rate=0.01)
    accounts.record(np.tile([2.0, 9.0, 0.0], (1000, 1)))
    spent = accounts.epsilon(DELTA)
    truth = ration.compose(Gaussian(1, 0.01, 1000), delta=DELTA).epsilon
    assert spent.method == "pld"
    assert (spent.upper[:2] >= truth.lower).all() and (spent.upper[:2] <= truth.upper * (1 + 1e-5)).all()
    assert spent.upper[2] == 0
    assert (accounts.epsilon(DELTA, "rdp").upper[:2] >= truth.lower).all()


def test_upper_ends_lie_above_the_plan_of_the_exact_norms():
    norms = np.linspace(0.05, 1, 20)
    accounts = Accounts(20, noise=1.2, rate=0.02)
    accounts.record(np.tile(norms, (200, 1)))
    spent = accounts.epsilon(DELTA)
    for i in (0, 7, 19):
        truth = ration.compose(Gaussian(1.2 / norms[i], 0.02, 200), delta=DELTA).epsilon
        assert spent.upper[i] >= truth.lower and spent.lower[i] <= truth.upper
        assert ration.compose(accounts.person(i), delta=DELTA).epsilon.upper >= truth.lower


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_tables_lists_and_views_are_one_and_the_same(dtype):
    norms = some_norms().astype(dtype)
    made = [Accounts(50, noise=2.0, rate=0.1) for _ in range(4)]
    made[0].record(norms)
    for row in norms:
        made[1].record(row)
        made[2].record(np.repeat(row, 3)[::3])  # not contiguous
        made[3].record(row[::-1], people=np.arange(50)[::-1])
    assert len({accounts.state_dict()["state"] for accounts in made}) == 1
    assert all(accounts.steps == 7 and accounts.people == 50 for accounts in made)


def test_only_listed_people_pay():
    accounts = Accounts(4, noise=1.0)
    accounts.record([1.0, 0.5], people=[3, 1])
    assert (accounts.epsilon(DELTA).upper > 0).tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    "norms, people",
    [([1.0, np.nan, 0], None), ([1.0, -1, 0], None), ([1.0, 0], None), ([1.0, 1], [0, 0]), ([1.0], [3]), ([[[1.0]]], None)],
)
def test_a_refused_step_charges_nobody(norms, people):
    accounts = Accounts(3, noise=1.0)
    with pytest.raises(ValueError):
        accounts.record(norms, people=people)
    assert accounts.steps == 0 and (accounts.epsilon(DELTA).upper == 0).all()


def test_wrong_types_are_type_errors():
    accounts = Accounts(2, noise=1.0)
    for wrong in (["a", "b"], [1j, 2j], [None, 1]):
        with pytest.raises(TypeError):
            accounts.record(wrong)
    with pytest.raises(TypeError):
        accounts.record([1.0], people=[0.5])
    with pytest.raises(ValueError, match="counted from 0"):
        accounts.record([1.0], people=[-1])


def test_refusals_never_show_a_norm():
    accounts = Accounts(2, noise=1.0)
    with pytest.raises(ration.RationError) as refusal:
        accounts.record([0.5, -123.456])
    assert "123" not in str(refusal.value) and "1" in str(refusal.value)


def test_what_does_not_fit_is_told_by_name_and_shows_no_norm():
    accounts = Accounts(3, noise=1.0)
    filter = ration.GdpFilter(3, noise=1.0, mu=1.0)
    norms = np.array([0.123456, 0.5, 0.25])
    state = accounts.state_dict()
    for act, name in (
        (lambda: accounts.record(norms, noise="1"), "noise is a str"),
        (lambda: accounts.record(norms, people=[0, 1, 2], rate=None, clip=[1.0]), "clip is a list"),
        (lambda: filter.admit(norms, clip=b"1"), "clip is a bytes"),
        (lambda: filter.could_admit(norms, 1e3), "most is a float"),
        (lambda: accounts.epsilon([DELTA, DELTA]), "delta is a list"),
        (lambda: accounts.epsilon(DELTA, "rdp", orders=["x"]), "an order is a str"),
        (lambda: accounts.record(norms, noise=1 + 0j), "noise is a complex"),
        (lambda: accounts.record(norms, rate=np.True_), "rate is a bool"),
        (lambda: accounts.person("0"), "person is a str"),
        (lambda: Accounts(1e3, noise=1.0), "people is a float"),
        (lambda: accounts.load_state_dict({**state, "state": str(state["state"])}), "the state is a str"),
    ):
        with pytest.raises(TypeError, match=name) as told:
            act()
        assert "0.123" not in str(told.value) and len(str(told.value)) < 100
    for act, name in (
        (lambda: Accounts(-1, noise=1.0), "people is -1"),
        (lambda: accounts.epsilon(DELTA, 3), "method is '3'"),
        (lambda: accounts.person(-1), "person is -1"),
        (lambda: Accounts(3, noise=1.0, rate=7), "rate is 7"),
        (lambda: Accounts(3, noise=1.0, clip=-1), "clip is -1"),
        (lambda: ration.RenyiFilter(3, noise=1.0, rate=float("nan"), mu=1.0), "rate is nan"),
        (lambda: accounts.record(norms, noise=-1.0), "noise is -1"),
    ):
        with pytest.raises(ration.RationError, match=name):
            act()
    assert accounts.steps == filter.steps == 0
    accounts.load_state_dict({**state, "state": bytearray(state["state"])})


def test_a_loaded_state_is_told_all_of_its_step(tmp_path):
    accounts = Accounts(1, noise=1.0, clip=0.1, rate=0.5)
    accounts.save(tmp_path / "a")
    for missing in ({"noise": 1.0}, {"noise": 1.0, "clip": 0.1}, {"clip": 0.1, "rate": 0.5}):
        with pytest.raises(TypeError, match="required keyword"):
            Accounts.load(tmp_path / "a", **missing)
    assert Accounts.load(tmp_path / "a", noise=1.0, clip=0.1, rate=0.5).clip == 0.1


def test_norms_are_read_where_they_lie():
    accounts = Accounts(1_000_000, noise=1.0, rate=0.1)
    for dtype in (np.float32, np.float64):
        norms = np.full(1_000_000, 0.5, dtype)
        tracemalloc.start()
        try:
            accounts.record(norms)
            assert tracemalloc.get_traced_memory()[1] < 100_000
        finally:
            tracemalloc.stop()


def test_others_run_while_everybody_is_accounted_for():
    accounts = Accounts(20_000, noise=1.0, rate=0.1)
    accounts.record(np.random.default_rng(1).uniform(0, 1, (50, 20_000)))
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.monotonic())

    ticking = threading.Thread(target=tick)
    ticking.start()
    before = time.monotonic()
    accounts.epsilon(DELTA)
    after = time.monotonic()
    stop.set()
    ticking.join()
    assert sum(before < one < after for one in ticks) > 3


def test_steps_may_differ():
    accounts = Accounts(1, noise=1.0, clip=1.0)
    accounts.record([1.0], noise=2.0)
    accounts.record([1.0], clip=4.0)
    truth = ration.epsilon(mu=np.sqrt(0.25 + 1 / 16), delta=DELTA)
    assert abs(accounts.epsilon(DELTA).upper[0] - truth.upper) < 1e-9


def test_saved_accounts_go_on_as_if_they_had_never_stopped(tmp_path):
    accounts = Accounts(50, noise=2.0, clip=1.0, rate=0.1)
    accounts.record(some_norms())
    accounts.save(tmp_path / "accounts.state")
    assert (tmp_path / "accounts.state").stat().st_mode & 0o777 == 0o600
    twins = [
        Accounts.load(tmp_path / "accounts.state", noise=2.0, clip=1.0, rate=0.1),
        pickle.loads(pickle.dumps(accounts)),
        copy.deepcopy(accounts),
    ]
    other = Accounts(1, noise=9.0)
    other.load_state_dict(accounts.state_dict())
    for twin in [*twins, other]:
        twin.record(some_norms(seed=2))
    accounts.record(some_norms(seed=2))
    for twin in [*twins, other]:
        assert twin.state_dict() == accounts.state_dict()


def test_damaged_and_foreign_state_is_refused(tmp_path):
    accounts = Accounts(5, noise=2.0)
    accounts.save(tmp_path / "a")
    whole = (tmp_path / "a").read_bytes()
    (tmp_path / "a").write_bytes(whole[:-1])
    with pytest.raises(ration.RationError, match="cut short"):
        Accounts.load(tmp_path / "a", noise=2.0, clip=1.0, rate=1.0)
    state = accounts.state_dict()
    state["state"] = state["state"][:80] + b"x" + state["state"][81:]
    with pytest.raises(ration.RationError, match="damaged"):
        Accounts(5, noise=2.0).load_state_dict(state)
    with pytest.raises(ValueError, match="state_dict is of gdp-filter: give one of accounts"):
        accounts.load_state_dict(ration.GdpFilter(5, noise=2.0, mu=1.0).state_dict())


def test_printing_shows_no_value():
    accounts = Accounts(2, noise=2.0)
    accounts.record([1.0, 0.25])
    spent = accounts.epsilon(DELTA)
    for text in (repr(accounts), repr(spent), str(spent), str(spent[:1])):
        for value in [*spent.upper, *spent.lower]:
            assert f"{value:.3g}" not in text
    assert "2 people" in repr(spent) and "private" in repr(spent)


def test_results_carry_their_worth_through_slices_and_pickles():
    accounts = Accounts(20, noise=2.0)
    accounts.record(np.linspace(0, 1, 20))
    spent = accounts.epsilon(DELTA)
    for part in (spent[3:7], pickle.loads(pickle.dumps(spent)), spent.copy()):
        assert part.guarantee == spent.guarantee and part.delta == DELTA and part.method == "gdp"
    assert type(spent["upper"]) is np.ndarray
    summary = spent.summary()
    assert summary["1"] == spent.upper.max() and summary["0"] == spent.upper.min()
    assert (spent.upper <= summary["0.95"]).mean() >= 0.95
    assert spent.to_dict()["guarantee"]["certified"] is True


def test_progress_is_told_and_what_it_raises_is_raised():
    accounts = Accounts(500, noise=1.0, rate=0.1)
    accounts.record(np.linspace(0, 1, 500))
    told = []
    accounts.epsilon(DELTA, "rdp", progress=told.append)
    assert told and told == sorted(told) and told[-1] <= 500

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        accounts.epsilon(DELTA, "rdp", progress=stop)


def test_progress_may_ask_for_people_and_nothing_else():
    accounts = Accounts(500, noise=1.0, rate=0.1)
    accounts.record(np.linspace(0, 1, 500))
    shares = []
    accounts.epsilon(DELTA, "rdp", progress=lambda done: shares.append(done / accounts.people))
    assert shares
    with pytest.raises(ration.RationError, match="in the middle of work"):
        accounts.epsilon(DELTA, "rdp", progress=lambda done: accounts.steps)
    assert accounts.steps == 1


def recorded_while(write, accounts, *norms, **options):
    """How many of 200 steps were recorded, and not refused, while another thread wrote into their arrays."""
    stop = threading.Event()

    def keep_writing():
        while not stop.is_set():
            write()

    writer = threading.Thread(target=keep_writing)
    writer.start()
    recorded = 0
    for _ in range(200):
        try:
            accounts.record(*norms, **options)
            recorded += 1
        except ration.RationError:
            pass
    stop.set()
    writer.join()
    return recorded


def test_norms_that_are_written_while_they_are_read_break_nothing():
    accounts = Accounts(100_000, noise=1.0, rate=0.1)
    norms = np.full(100_000, 0.5, np.float32)

    def write():
        norms[::7] = np.nan
        norms[::5] = -1
        norms[:] = 0.5

    assert recorded_while(write, accounts, norms) == accounts.steps


def test_positions_that_are_written_while_they_are_used_break_nothing():
    accounts = Accounts(100_000, noise=1.0)
    norms, who = np.full(100_000, 0.5, np.float32), np.arange(100_000, dtype=np.uint64)

    def write():
        who[-1] = 2**63
        who[-1] = 99_999

    assert recorded_while(write, accounts, norms, people=who) == accounts.steps
    assert not np.shares_memory(indices_of(who), who)  # a race need not be lost


def test_a_forked_child_works_alone():
    accounts = Accounts(200_000, noise=1.0)
    accounts.record(np.full(200_000, 0.5, np.float32))  # the parent has threads now
    accounts.epsilon(DELTA)
    child = os.fork()
    if child == 0:
        accounts.record(np.full(200_000, 0.5, np.float32))
        os._exit(0 if accounts.epsilon(DELTA).size == 200_000 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_state_that_does_not_fit_changes_nothing():
    accounts = Accounts(3, noise=1.0)
    other = Accounts(5, noise=2.0)
    other.record(np.ones(5))
    for wrong in ({"noise": "x"}, {"state": b"short"}, {"rate": None}):
        with pytest.raises((TypeError, ValueError)):
            accounts.load_state_dict({**other.state_dict(), **wrong})
        assert (accounts.people, accounts.steps, accounts.noise) == (3, 0, 1.0)
    missing = other.state_dict()
    del missing["noise"]
    with pytest.raises(KeyError):
        accounts.load_state_dict(missing)
    assert (accounts.people, accounts.steps, accounts.noise) == (3, 0, 1.0)


def test_threads_do_not_lose_charges():
    accounts = Accounts(1000, noise=2.0)
    norms = np.ones(1000, np.float32)
    threads = [threading.Thread(target=lambda: [accounts.record(norms) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert accounts.steps == 200
    expected = ration.epsilon(mu=np.sqrt(200) / 2, delta=DELTA).lower
    assert (accounts.epsilon(DELTA).upper >= expected - 1e-9).all()


def test_people_go_by_their_ids():
    accounts = ration.Accounts(ids=["P-17", 4, np.int64(9)], noise=2.0)
    places = ration.Accounts(3, noise=2.0)
    assert accounts.ids == ["P-17", "4", "9"] and places.ids is None
    accounts.record({9: 0.25, "P-17": 1.0})
    places.record([1.0, 0.25], people=[0, 2])
    accounts.record([0.5, 0.75], ids=["4", "P-17"])
    places.record([0.75, 0.5], people=[0, 1])
    accounts.record([1.0, 1.0, 1.0])
    places.record([1.0, 1.0, 1.0])
    spent, expected = accounts.epsilon(1e-5), places.epsilon(1e-5)
    assert (spent.upper == expected.upper).all()
    assert spent.of("P-17") == ration.Bound(*expected[0]) and spent.of(4) == spent.of("4")
    assert accounts.person("P-17") == places.person(0)


def test_ids_survive_saving_and_nothing_else_has_them(tmp_path):
    accounts = ration.Accounts(ids=["b", "a"], noise=2.0)
    accounts.record({"a": 0.5})
    accounts.save(tmp_path / "s")
    settings = {"noise": 2.0, "clip": 1.0, "rate": 1.0}
    loaded = ration.Accounts.load(tmp_path / "s", **settings)
    state = accounts.state_dict()
    other = ration.Accounts(5, noise=3.0)
    other.load_state_dict(state)
    for again in (loaded, other, pickle.loads(pickle.dumps(accounts)), copy.deepcopy(accounts)):
        assert again.ids == ["b", "a"]
        assert again.epsilon(1e-5).of("a") == accounts.epsilon(1e-5).of("a")
    spent = pickle.loads(pickle.dumps(accounts.epsilon(1e-5)))
    assert spent.of("a") == accounts.epsilon(1e-5).of("a")
    for part in (spent[::-1], spent[:1], np.sort(spent), spent.copy()):
        with pytest.raises(TypeError, match="no ids here"):
            part.of("a")
    plain = ration.Accounts(2, noise=2.0)
    plain.record([0.0, 0.5])
    plain.save(tmp_path / "p")
    assert ration.Accounts.load(tmp_path / "p", **settings).ids is None
    assert "ids" not in plain.state_dict()
    with pytest.raises(ValueError, match="3 ids: give one for each of its 2 people"):
        other.load_state_dict({**state, "ids": ["x", "y", "z"]})
    assert other.ids == ["b", "a"] and other.steps == 1


def test_wrong_ids_are_refused_without_being_shown():
    with pytest.raises(ValueError, match=r"positions 0 and 2 \(from 0\) are the same") as refused:
        ration.Accounts(ids=["secret", "b", "secret"], noise=2.0)
    assert "secret" not in str(refused.value)
    with pytest.raises(ValueError, match="position 1 .* is empty"):
        ration.Accounts(ids=["a", ""], noise=2.0)
    with pytest.raises(TypeError, match="position 1 .* is a float: give text, or a whole number"):
        ration.Accounts(ids=["a", 1.5], noise=2.0)
    with pytest.raises(ValueError, match="people is 3: give the number of ids, 2"):
        ration.Accounts(3, ids=["a", "b"], noise=2.0)
    with pytest.raises(TypeError, match="needs the number of people, or their ids"):
        ration.Accounts(noise=2.0)
    accounts = ration.Accounts(ids=["a", "b"], noise=2.0)
    with pytest.raises(KeyError, match="nobody here has this id"):
        accounts.record({"secret": 1.0})
    with pytest.raises(ValueError):
        accounts.record([1.0, 1.0], ids=["a", "a"])
    with pytest.raises(TypeError, match="leave ids out"):
        accounts.record({"a": 1.0}, ids=["a"])
    with pytest.raises(TypeError, match="give one of them"):
        accounts.record([1.0], ids=["a"], people=[0])
    with pytest.raises(TypeError, match="have no ids"):
        ration.Accounts(1, noise=2.0).record({"a": 1.0})
    assert accounts.steps == 0 and (accounts.epsilon(1e-5).upper == 0).all()


def test_a_household_costs_more_than_one_person():
    plan = ration.Gaussian(noise=2, rate=0.01, steps=100)
    one = ration.compose(plan, delta=1e-6)
    assert ration.compose(plan, delta=1e-6, household=1) == one
    two = ration.compose(plan, delta=1e-6, household=2)
    assert two.epsilon.upper > one.epsilon.upper and "2 people" in two.guarantee.neighbours
    assert ration.compose(plan, epsilon=two.epsilon.upper, household=2).delta.upper <= 1.0001e-6
    with pytest.raises(ValueError, match="household is 0"):
        ration.compose(plan, delta=1e-6, household=0)
