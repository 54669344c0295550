"""Budgets that outlive runs: nobody above theirs, whoever asks; what is unknown counts as spent."""

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import ration
from ration import GdpFilter, Gaussian, Ledger, RationError, RenyiFilter
from small_ledger import DELTA, IDS, ledger, path  # path and ledger are fixtures


def run(grant, steps=20, norms=(1.0, 0.5, 0.1, 0.0), noise=20.0):
    filter = grant.filter(noise=noise)
    grant.start("a run")
    for _ in range(steps):
        filter.admit(norms)
    return filter


def test_a_ledger_is_there_the_next_day(path):
    made = Ledger.create(str(path), ids=IDS, epsilon=3.0, delta=DELTA)
    opened = Ledger.open(path)
    assert (opened.people, opened.currency, opened.delta) == (4, "gdp", DELTA)
    assert opened.ids() == IDS and opened.head == made.head and opened.contains(made.head)
    assert path.stat().st_mode & 0o777 == 0o600
    opened.verify()


def test_budgets_may_be_one_for_all_or_each_persons_own(tmp_path):
    own = Ledger.create(tmp_path / "own", ids=IDS, mu=[1.0, 2.0, 1.0, 0.5], delta=DELTA)
    for id, mu in zip(IDS, [1.0, 2.0, 1.0, 0.5]):
        budget = own.person(id).budget
        assert budget.upper <= ration.epsilon(mu=mu, delta=DELTA).upper
        assert budget.upper == pytest.approx(ration.epsilon(mu=mu, delta=DELTA).upper, rel=1e-9)
    own.add(["Eve"], epsilon=0.25)
    assert own.people == 5 and own.person("Eve").budget.upper <= 0.25


def test_ids_may_be_texts_or_whole_numbers(tmp_path):
    ledger = Ledger.create(tmp_path / "n", ids=np.array([10, 11, 12]), mu=1.0, delta=DELTA)
    assert ledger.ids() == ["10", "11", "12"]
    assert ledger.person(11).budget == ledger.person("11").budget
    assert ledger.admit(token="t", norms=[1.0], noise=2.0, ids=[np.int64(12)]).tolist() == [True]
    assert ledger.person(12).spent.upper > 0 == ledger.person(10).spent.upper


def test_a_run_reserves_and_what_it_does_not_use_goes_back(ledger):
    with ledger.grant(token="one", team="imaging", purpose="scans", epsilon=1.5) as grant:
        assert ledger.person("Bela").reserved.upper == pytest.approx(1.5, rel=1e-6)
        filter = run(grant)
    assert grant.status == "settled"
    spent = filter.spent(DELTA).upper
    for id, eps in zip(IDS, spent):
        person = ledger.person(id)
        assert person.spent.upper == pytest.approx(eps, rel=1e-12, abs=1e-300) and person.reserved.upper == 0
    assert ledger.person("Dee").left == ledger.person("Dee").budget
    ledger.verify()


def test_after_an_exception_all_of_it_counts_as_spent(ledger, tmp_path):
    with pytest.raises(KeyError):
        with ledger.grant(token="one", epsilon=1.5) as grant:
            run(grant).save(tmp_path / "filter")
            raise KeyError
    assert grant.status == "started"
    assert ledger.person("Dee").reserved.upper == pytest.approx(1.5, rel=1e-6)
    with pytest.raises(RationError, match="a run goes on from what it has saved"):
        ledger.grant(token="one", epsilon=1.5).filter(noise=20.0)
    with pytest.raises(RationError, match="something may have been released"):
        ledger.void("one")
    with ledger.grant(token="one", epsilon=1.5) as again:
        filter = again.resume(tmp_path / "filter", noise=20.0)
        assert filter.steps == 20
        filter.admit([1.0, 1.0, 1.0, 1.0])
    assert ledger.person("Dee").spent.upper > 0 == ledger.person("Dee").reserved.upper
    ledger.verify()


def test_what_nobody_can_settle_is_settled_with_everything(ledger):
    run(ledger.grant(token="lost", mu=0.25))
    ledger.settle_everything("lost")
    assert all(ledger.person(id).spent.upper > 0 for id in IDS)
    with pytest.raises(RationError, match="settled"):
        ledger.grant(token="lost", mu=0.25).filter(noise=1.0)


def test_a_block_in_which_nothing_was_started_gives_the_grant_back(ledger):
    with ledger.grant(token="none", epsilon=1.0) as grant:
        pass
    assert grant.status == "voided" and ledger.person("Ada").reserved.upper == 0
    with ledger.grant(token="unused", epsilon=1.0) as grant:
        grant.filter(noise=1.0)
    assert grant.status == "settled" and ledger.person("Ada").spent.upper == 0
    with pytest.raises(RationError, match="filter of grant 'begun' is missing"):
        with ledger.grant(token="begun", epsilon=1.0) as grant:
            grant.start("a run")
    assert ledger.person("Ada").reserved.upper > 0


def test_a_filter_works_within_what_is_left(ledger):
    first = ledger.grant(token="a", mu=0.4)
    second = ledger.grant(token="b")  # all that is left
    third = ledger.grant(token="c", mu=0.1)
    assert not third.filter(noise=20.0).could_admit([1.0] * 4, 1).any()
    filter = second.filter(noise=20.0)
    taken = ration.mu(epsilon=filter.budget(DELTA).lower, delta=DELTA).lower ** 2 + 0.4**2
    assert taken <= ration.mu(epsilon=3.0, delta=DELTA).upper ** 2 * (1 + 1e-9)
    assert taken == pytest.approx(ration.mu(epsilon=3.0, delta=DELTA).lower ** 2, rel=1e-6)
    second.start("a run")
    assert filter.admit([1.0] * 4).all()
    with pytest.raises(RationError, match="was not made from grant"):
        first.start("another run")
        first.settle(filter)
    second.settle(filter)


def test_no_step_comes_before_the_start(ledger):
    """Somebody could give the grant back meanwhile, and another run could start it."""
    grant = ledger.grant(token="t", mu=0.4)
    filter = grant.filter(noise=20.0)
    with pytest.raises(RationError, match="was not started"):
        filter.admit([1.0] * 4)
    assert filter.steps == 0
    ledger.grant(token="t", mu=0.4).start("another run")
    with pytest.raises(RationError, match="started by another run"):
        grant.start("a run")
    assert ledger.person("Ada").reserved.upper > 0


def test_steps_of_a_second_filter_are_not_forgotten(ledger):
    grant = ledger.grant(token="twice", mu=0.4)
    first, second = grant.filter(noise=20.0), grant.filter(noise=20.0)
    grant.start("a run")
    first.admit([1.0] * 4)
    with pytest.raises(RationError, match="a grant has one reserve"):
        second.admit([1.0] * 4)
    with pytest.raises(RationError, match="has seen no step"):
        grant.settle(second)
    ledger.settle_everything("twice")
    assert ledger.person("Ada").spent.upper == pytest.approx(ration.epsilon(mu=0.4, delta=DELTA).upper, rel=1e-9)


def test_a_part_of_the_people_may_take_part_in_any_order(ledger):
    grant = ledger.grant(token="some", epsilon=1.0, ids=["Dee", "Bela", "Ada"])
    assert grant.people == 3 and grant.ids == ["Dee", "Bela", "Ada"]
    filter = grant.filter(noise=2.0, ids=["Ada", "Dee"])
    grant.start("a run")
    assert filter.people == 2
    filter.admit([0.2, 0.1])
    spent = filter.spent(DELTA).upper
    grant.settle()
    assert ledger.person("Ada").spent.upper == pytest.approx(spent[0], rel=1e-12)
    assert ledger.person("Dee").spent.upper == pytest.approx(spent[1], rel=1e-12)
    for id in ("Bela", "Cyd"):
        assert ledger.person(id).spent.upper == ledger.person(id).reserved.upper == 0
    head = ledger.head
    grant.settle(filter)  # the same once more changes nothing
    ledger.grant(token="some", epsilon=1.0, ids=["Dee", "Bela", "Ada"]).settle(filter, ids=["Ada", "Dee"])
    with pytest.raises(RationError, match="for these people in this order"):
        ledger.grant(token="some", epsilon=1.0, ids=["Dee", "Bela", "Ada"]).settle(filter, ids=["Ada", "Bela"])
    assert ledger.head == head
    ledger.verify()


@pytest.mark.parametrize("ids", [None, ["Cyd", "Ada"]])
def test_renyi_ledgers_take_sampled_steps(path, ids, tmp_path):
    step = Gaussian(noise=1.0, rate=0.01)
    ledger = Ledger.create(path, ids=IDS, epsilon=2.0, delta=DELTA, currency="rdp", shape=step)
    with ledger.grant(token="sgd", epsilon=1.0, shape=step) as grant:
        filter = grant.filter(noise=1.0, rate=0.01, ids=ids)
        assert isinstance(filter, RenyiFilter)
        filter.save(tmp_path / "f")
        filter = grant.resume(tmp_path / "f", noise=1.0, rate=0.01, ids=ids)
        grant.start("a run")
        admitted = sum(bool(filter.admit([1.0] * filter.people)[0]) for _ in range(1000))
    alone = RenyiFilter(1, noise=1.0, rate=0.01, epsilon=1.0, delta=DELTA)
    assert admitted == sum(bool(alone.admit([1.0])[0]) for _ in range(1000)) > 0
    assert 0.9 < ledger.person("Ada").spent.upper <= 1.0
    assert (ledger.person("Bela").spent.upper > 0) == (ids is None)
    ledger.verify()


def test_one_off_queries_are_charged_before_they_are_answered(ledger, path):
    mask = ledger.admit(token="q", norms=np.array([1.0, 5.0, 0.1, 0.0], np.float32), noise=1.0, clip=1.0)
    assert mask.dtype == bool and mask.tolist() == [False, False, True, True]
    assert Ledger.open(path).person("Cyd").spent.upper > 0
    before = ledger.head
    again = ledger.admit(token="q", norms=np.array([1.0, 5.0, 0.1, 0.0], np.float32), noise=1.0, clip=1.0)
    assert (again == mask).all() and ledger.head == before
    with pytest.raises(RationError, match="token"):
        ledger.admit(token="q", norms=[1.0] * 4, noise=1.0)
    assert ledger.head == before


def test_quotas_bound_what_a_team_takes(ledger):
    ledger.set_quota("genomics", epsilon=1.0)
    with pytest.raises(RationError, match="quota"):
        ledger.grant(token="g", team="genomics", epsilon=1.2)
    ledger.grant(token="g", team="genomics", epsilon=0.8)
    assert ledger.person("Ada").reserved.upper <= 0.8 + 1e-9


def test_lists_tell_nothing_about_single_people(ledger):
    ledger.grant(token="one", team="imaging", purpose="scans", epsilon=0.5)
    ledger.admit(token="q", norms=[1.0] * 4, noise=1.0)
    grant, query = ledger.grants()
    assert (grant.token, grant.team, grant.purpose, grant.query, grant.status) == (
        "one",
        "imaging",
        "scans",
        False,
        "reserved",
    )
    assert grant.limit.upper == pytest.approx(0.5, rel=1e-6) and query.query
    assert [entry.kind for entry in ledger.history()] == ["create", "people", "grant", "admit"]
    assert ledger.history()[-1].hash == ledger.head
    everything = repr([ledger, ledger.grants(), ledger.history(), ledger.person("Ada"), ledger.grant(token="o2")])
    assert not any(id in everything for id in IDS)


def test_bad_requests_say_one_sentence_without_ids_and_change_nothing(ledger, path, tmp_path):
    grant = ledger.grant(token="one", epsilon=0.5)
    before = ledger.head
    (tmp_path / "text").write_text("no ledger")
    cases = [
        (RationError, "not in the ledger", lambda: ledger.grant(token="t", epsilon=1.0, ids=["Ada", "Zoe Q."])),
        (RationError, "not in the ledger", lambda: ledger.person("Zoe Q.")),
        (RationError, "there twice", lambda: ledger.admit(token="t", norms=[1, 1], noise=1.0, ids=["Bela", "Bela"])),
        (RationError, "already", lambda: ledger.add(["Zoe Q.", "Bela"], epsilon=1.0)),
        (RationError, "ids are none", lambda: ledger.grant(token="t", epsilon=1.0, ids=[])),
        (RationError, "half of a character", lambda: ledger.grant(token="t", epsilon=1.0, ids=["Zoe Q.\ud800"])),
        (TypeError, "ids are a str", lambda: ledger.grant(token="t", epsilon=1.0, ids="Ada")),
        (TypeError, "at position 1", lambda: ledger.grant(token="t", epsilon=1.0, ids=["Ada", 1.5])),
        (TypeError, "token is a int", lambda: ledger.grant(token=3, epsilon=1.0)),
        (TypeError, "epsilon or mu", lambda: ledger.add(["Zoe Q."])),
        (TypeError, "epsilon is a list", lambda: ledger.grant(token="t", epsilon=[1.0, 2.0])),
        (RationError, "token", lambda: ledger.grant(token="one", epsilon=0.6)),
        (RationError, "rate", lambda: ledger.admit(token="t", norms=[1.0] * 4, noise=1.0, rate=0.5)),
        (RationError, "counts in gdp", lambda: grant.filter(noise=1.0, rate=0.5)),
        (RationError, "not among the people", lambda: grant.filter(noise=1.0, ids=["Ada", "Zoe Q."])),
        (RationError, "there twice", lambda: grant.filter(noise=1.0, ids=["Ada", "Ada"])),
        (TypeError, "filter is a list", lambda: grant.settle([1.0])),
        (RationError, "another currency", lambda: grant.settle(RenyiFilter(4, noise=1.0, mu=1.0))),
        (RationError, "not made from", lambda: grant.settle(GdpFilter(4, noise=1.0, mu=1.0))),
        (RationError, "not made from", lambda: grant.settle(GdpFilter(2, noise=1.0, mu=[1.0, 2.0]), ids=["Bela", "Ada"])),
        (RationError, "norm", lambda: ledger.admit(token="t", norms=[1, 1, np.nan, 1], noise=1.0)),
        (RationError, "of all 4", lambda: ledger.admit(token="t", norms=[1.0], noise=1.0)),
        (RationError, "token 'none'", lambda: ledger.settle_everything("none")),
        (RationError, "", lambda: Ledger.create(path, ids=["x"], mu=1.0, delta=DELTA)),
        (RationError, "", lambda: Ledger.open(tmp_path / "text")),
        (RationError, "", lambda: Ledger.open(tmp_path / "missing")),
        (RationError, "same", lambda: Ledger.create(tmp_path / "n", ids=["Zoe Q.", "Zoe Q."], mu=1.0, delta=DELTA)),
        (TypeError, "Ledger.open", lambda: Ledger(str(path))),
    ]
    for kind, says, act in cases:
        with pytest.raises(kind, match=says) as refused:
            act()
        assert "\n" not in str(refused.value) and "Zoe" not in str(refused.value), says
    assert ledger.head == before
    ledger.verify()


def test_an_old_copy_lacks_what_was_seen_since(ledger, path, tmp_path):
    copy = tmp_path / "backup"
    copy.write_bytes(path.read_bytes())
    ledger.admit(token="q", norms=[1.0] * 4, noise=4.0)
    assert not Ledger.open(copy).contains(ledger.head)
    assert ledger.contains(Ledger.open(copy).head)


def test_a_ledger_that_was_tampered_with_does_not_verify(ledger, path):
    ledger.admit(token="q", norms=[1.0] * 4, noise=4.0)
    with sqlite3.connect(path) as database:
        (record,) = database.execute("select record from accounts").fetchone()
        changed = bytearray(record)
        changed[-20] ^= 1
        database.execute("update accounts set record = ?", (bytes(changed),))
    with pytest.raises(RationError):
        Ledger.open(path).verify()


def test_threads_share_one_ledger(ledger):
    """Everybody's sum over all queries stays within the budget, and each of them is charged once."""
    answers = {}

    def ask(team):
        for number in range(12):
            token = f"{team} {number}"
            answers[token] = ledger.admit(token=token, norms=[1.0, 0.5, 0.25, 0.125], noise=4.0)

    threads = [threading.Thread(target=ask, args=(team,)) for team in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    admitted = np.sum(list(answers.values()), axis=0)
    fit = (ration.mu(epsilon=3.0, delta=DELTA).upper * 4.0) ** 2
    assert admitted.tolist() == [int(fit), int(4 * fit), 36, 36]
    ledger.verify()


def test_a_ledger_that_waits_for_another_process_lets_other_threads_run(ledger, path):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    asked, answered = threading.Event(), []

    def ask():
        asked.set()
        answered.append(ledger.admit(token="q", norms=[1.0] * 4, noise=4.0))

    thread = threading.Thread(target=ask)
    thread.start()
    asked.wait()
    time.sleep(0.2)
    assert not answered  # it waits, and we run
    other.execute("rollback")
    thread.join()
    other.close()
    assert answered[0].all()


ASK = """
import sys, ration
ledger = ration.Ledger.open(sys.argv[1])
with ledger.grant(token=sys.argv[2], mu=0.1) as grant:
    filter = grant.filter(noise=20.0)
    grant.start(sys.argv[2])
    print("started", flush=True)
    if sys.argv[3] == "hang":
        sys.stdin.read()
    filter.admit([1.0] * 4)
"""


def test_processes_share_one_ledger_and_one_that_is_killed_has_spent_its_reserve(ledger, path):
    def begin(token, how):
        command = [sys.executable, "-c", ASK, str(path), token, how]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    killed = begin("killed", "hang")
    others = [begin(f"run {number}", "end") for number in range(3)]
    assert killed.stdout.readline() == "started\n"
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert [other.wait() for other in others] == [0, 0, 0]
    for process in (killed, *others):
        process.stdin.close()
        process.stdout.close()
    person = ledger.person("Ada")
    assert person.reserved.upper == pytest.approx(ration.epsilon(mu=0.1, delta=DELTA).upper, rel=1e-9)
    assert person.spent.upper == pytest.approx(ration.epsilon(mu=(3 * 0.05**2) ** 0.5, delta=DELTA).upper, rel=1e-9)
    ledger.verify()


def test_a_forked_child_opens_its_own(ledger, path):
    child = os.fork()
    if child == 0:
        try:
            ledger.people
        except RationError as refused:
            os._exit(0 if "before a fork" in str(refused) and Ledger.open(path).people == 4 else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert ledger.people == 4


def test_a_ledger_is_no_value_that_could_be_copied(ledger):
    with pytest.raises(TypeError):
        pickle.dumps(ledger)
