"""From a grant to its end, no spend is lost: neither by a second filter, a copy, an older state, a thread nor a fork."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import ration
from ration import GdpFilter, Ledger, RationError
from small_ledger import DELTA, IDS, ledger, path  # path and ledger are fixtures

STEP = {"noise": 20.0, "clip": 1.0}
EVERYBODY = [1.0, 0.5, 0.1, 0.2]


def request(ledger, token="run", **more):
    return ledger.grant(token=token, mu=0.4, **more)


def begun(ledger, steps=3, **more):
    """A grant that was started, and its filter after some steps."""
    grant = request(ledger, **more)
    filter = grant.filter(noise=20.0)
    grant.start("node 1")
    for _ in range(steps):
        filter.admit(EVERYBODY)
    return grant, filter


def spent(ledger):
    return [ledger.person(id).spent.upper for id in IDS]


COPIES = {
    "copied": copy.copy,
    "deeply": copy.deepcopy,
    "pickled": lambda filter: pickle.loads(pickle.dumps(filter)),
    "loaded": lambda filter: (filter.save("state"), GdpFilter.load("state", **STEP))[1],
}


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_that_charges_a_step_is_not_forgotten(how, ledger, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    grant, filter = begun(ledger)
    other = COPIES[how](filter)
    other.admit(EVERYBODY)
    with pytest.raises(RationError, match="which would be forgotten"):
        grant.settle()
    with pytest.raises(RationError, match="a grant has one reserve"):
        filter.admit(EVERYBODY)
    with pytest.raises(RationError, match="something may have been released"):
        ledger.void("run")
    assert all(ledger.person(id).reserved.upper > 0 for id in IDS)
    ledger.settle_everything("run")
    assert spent(ledger) == pytest.approx([ration.epsilon(mu=0.4, delta=DELTA).upper] * 4, rel=1e-9)


def test_filters_of_one_grant_do_not_spend_its_reserve_each(ledger):
    """One for every setting that is tried, say: the second would spend what the first has spent."""
    grant = request(ledger)
    one, two = grant.filter(noise=20.0), grant.filter(noise=20.0)
    grant.start()
    while any(one.admit(EVERYBODY)):
        pass
    for late in (two, copy.deepcopy(two)):
        with pytest.raises(RationError, match="a grant has one reserve"):
            late.admit(EVERYBODY)
    grant.settle(one)
    limit = ration.epsilon(mu=0.4, delta=DELTA).upper
    assert all(0.9 * limit < total <= limit for total in spent(ledger))


def test_a_start_whose_answer_was_lost_is_asked_for_again(ledger):
    grant, twin = request(ledger), request(ledger)
    filter = grant.filter(noise=20.0)
    twin._run, twin._object = grant._run, grant._object  # the same request arrives, and nobody hears the answer
    twin.start()
    assert grant.status == "reserved"
    grant.start()
    filter.admit(EVERYBODY)
    grant.settle()
    assert [entry.kind for entry in ledger.history()].count("start") == 1


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_that_took_over_may_settle(how, ledger, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    grant, filter = begun(ledger)
    other = COPIES[how](COPIES[how](filter))
    other.admit(EVERYBODY)
    charged = other.spent(DELTA).upper
    grant.settle(other)
    assert spent(ledger) == pytest.approx(charged.tolist(), rel=1e-12) and other.steps == 4
    ledger.verify()


def test_a_copy_that_did_nothing_is_in_nobodys_way(ledger):
    grant, filter = begun(ledger)
    copy.deepcopy(filter).could_admit(EVERYBODY, 10)
    grant.settle()
    assert spent(ledger) == pytest.approx(filter.spent(DELTA).upper.tolist(), rel=1e-12)


@pytest.mark.parametrize("as_file", [True, False])
def test_a_grant_goes_on_with_what_has_all_steps_and_with_nothing_else(as_file, ledger, tmp_path):
    grant, filter = begun(ledger, steps=1)

    def saved(name):
        filter.save(tmp_path / name)
        return tmp_path / name if as_file else filter.state_dict()

    first = saved("first")
    filter.admit(EVERYBODY)
    for asked in (grant, request(ledger)):
        with pytest.raises(RationError, match="that the saved filter does not have"):
            asked.resume(first, noise=20.0)
    second = saved("second")
    again = request(ledger)
    on = again.resume(second, noise=20.0)
    on.admit(EVERYBODY)
    with pytest.raises(RationError, match="would be forgotten"):
        grant.settle()  # the filter of before
    again.settle()
    assert on.steps == 3 and spent(ledger) == pytest.approx(on.spent(DELTA).upper.tolist(), rel=1e-12)


def test_a_grants_filter_that_was_used_is_not_replaced_by_an_older_state(ledger):
    grant, filter = begun(ledger, steps=1)
    older = filter.state_dict()
    filter.admit(EVERYBODY)
    with pytest.raises(RationError, match="what they released would be forgotten"):
        filter.load_state_dict(older)
    filter.load_state_dict(filter.state_dict())
    assert filter.steps == 2
    other = request(ledger, token="another").filter(noise=20.0)
    with pytest.raises(RationError, match="not of the grant, people and run"):
        filter.load_state_dict(other.state_dict())
    grant.settle()


def test_no_step_follows_the_end(ledger):
    grant, filter = begun(ledger)
    twin = copy.deepcopy(filter)
    grant.settle()
    lost = request(ledger, token="lost").filter(noise=20.0)
    ledger.settle_everything("lost")
    given = request(ledger, token="given").filter(noise=20.0)
    ledger.void("given")
    for one in (filter, twin, lost, given):
        before = one.steps
        with pytest.raises(RationError, match="no step can follow"):
            one.admit(EVERYBODY)
        assert one.steps == before


def test_no_step_follows_an_end_elsewhere_that_was_seen(ledger, path):
    _, filter = begun(ledger)
    command = "import sys, ration; ration.Ledger.open(sys.argv[1]).settle_everything('run')"
    subprocess.run([sys.executable, "-c", command, path], check=True)
    assert request(ledger).status == "settled"
    with pytest.raises(RationError, match="no step can follow"):
        filter.admit(EVERYBODY)


def test_a_refused_end_is_none(ledger):
    """Steps go on after it."""
    grant, filter = begun(ledger, steps=0)
    for end in (grant.settle, lambda: ledger.void("run"), lambda: grant.settle(GdpFilter(4, noise=1.0, mu=1.0))):
        with pytest.raises(RationError):
            end()
    assert filter.admit(EVERYBODY).all()
    grant.settle()


def test_a_grant_is_not_voided_behind_its_filters_back(ledger, tmp_path):
    """A state that somebody else has made may be used before this process has seen the grant."""
    command = "import sys, ration; l = ration.Ledger.open(sys.argv[1]); g = l.grant(token='run', mu=0.4); "
    command += "g.filter(noise=20.0).save(sys.argv[2])"
    subprocess.run([sys.executable, "-c", command, tmp_path / "budgets.ledger", tmp_path / "f"], check=True)
    filter = GdpFilter.load(tmp_path / "f", **STEP)
    filter.admit(EVERYBODY)
    with pytest.raises(RationError, match="something may have been released"):
        ledger.void("run")
    with pytest.raises(RationError, match="something may have been released"):
        with request(ledger):
            pass
    with pytest.raises(RationError, match=r"was not started: call start\(\) before"):
        request(ledger).settle(filter)
    with pytest.raises(RationError, match="was not started, as far as is known here"):
        filter.admit(EVERYBODY)
    assert ledger.person("Ada").reserved.upper > 0


@pytest.mark.parametrize("ids", [["Bela", "Ada"], ["Dee", "Cyd", "Bela", "Ada"]])
def test_a_filter_of_other_people_of_the_same_number_is_refused(ids, ledger, tmp_path):
    """All of them have the same reserve: nothing but their ids tells them apart."""
    grant = request(ledger)
    filter = grant.filter(noise=20.0, ids=ids)
    grant.start()
    filter.admit([1.0, 0.5, 0.2, 0.1][: len(ids)])
    filter.save(tmp_path / "f")
    wrong = [list(reversed(ids)), IDS[: len(ids)], IDS[4 - len(ids) :]] + ([None] if len(ids) == 4 else [])
    for others in wrong:
        with pytest.raises(RationError, match="for these people in this order") as refused:
            request(ledger).resume(tmp_path / "f", noise=20.0, ids=others)
        assert not any(id in str(refused.value) for id in IDS)
        with pytest.raises(RationError, match="was not made from grant"):
            request(ledger).settle(filter, ids=others)
    on = request(ledger)
    on.resume(tmp_path / "f", noise=20.0, ids=ids)
    on.settle()
    charged = dict(zip(ids, filter.spent(DELTA).upper))
    assert spent(ledger) == pytest.approx([charged.get(id, 0.0) for id in IDS], rel=1e-12)


def test_the_filter_of_another_grant_with_equal_reserves_is_refused(ledger, tmp_path):
    first, second = request(ledger, token="first"), request(ledger, token="second")
    first.filter(noise=20.0).save(tmp_path / "f")
    with pytest.raises(RationError, match="was not made from grant 'second'"):
        second.resume(tmp_path / "f", noise=20.0)
    ledger.void("first")
    with pytest.raises(RationError, match="grant 'first' is voided"):
        request(ledger, token="first").resume(tmp_path / "f", noise=20.0)


def test_the_program_settles_what_python_has_saved_of_all_people_and_of_nobody_else(ledger, path, tmp_path):
    """Its settle takes a file: here by the same call of the library."""
    grant, filter = begun(ledger)
    filter.save(tmp_path / "f")
    part = request(ledger, token="part")
    for_some = part.filter(noise=20.0, ids=list(reversed(IDS)))
    part.start()
    for_some.admit(EVERYBODY)
    for_some.save(tmp_path / "p")
    held, loaded = request(ledger), GdpFilter.load(tmp_path / "f", **STEP)
    ledger._core.settle(held._core, loaded._core, [])
    with pytest.raises(RationError, match="was not made from grant 'part'"):
        ledger._core.settle(part._core, GdpFilter.load(tmp_path / "p", **STEP)._core, [])


LAUNCH = """
import sys, ration
ledger = ration.Ledger.open(sys.argv[1])
grant = ledger.grant(token="run", mu=0.4)
how, file = sys.argv[2:]
print(grant.status, flush=True)
filter = grant.resume(file, noise=20.0) if how == "resume" else grant.filter(noise=20.0)
if how == "new":
    filter.save(file)
sys.stdin.readline()
try:
    if how == "new":
        grant.start("the same node")
    filter.admit([1.0] * 4)
    filter.save(file)
    print("step", flush=True)
except ration.RationError as refused:
    print(refused, flush=True)
"""


def launch(path, how, file):
    command = [sys.executable, "-c", LAUNCH, str(path), how, str(file)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def answers(process, asks=""):
    out, _ = process.communicate(asks)
    return out.splitlines()


ELSEWHERE = """
import sys, ration
filter = ration.GdpFilter.load(sys.argv[1], noise=20.0, clip=1.0)
try:
    filter.admit([1.0] * 4)
    print("step")
except ration.RationError as refused:
    print(refused)
"""


@pytest.mark.parametrize("run, answer", [("", "grant of this filter was not started"), ("a" * 32, "step")])
def test_a_filter_without_the_name_of_a_run_waits_where_its_grant_is_not_known(run, answer, ledger, tmp_path):
    """As ration ledger grant saves it: the grant could still be voided."""
    core = ledger._core.filter(request(ledger)._core, [], run)
    core.save(str(tmp_path / "f"))
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path / "f")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith(answer)


def test_two_launches_of_one_program_cannot_both_start(ledger, path, tmp_path):
    """Both ask before either has started, and give the same name."""
    one, two = (launch(path, "new", tmp_path / name) for name in "ab")
    assert one.stdout.readline() == two.stdout.readline() == "reserved\n"
    assert answers(one, "\n") == ["step"]
    assert answers(two, "\n") == ["grant 'run' was started by another run: take one of your own"]
    with pytest.raises(RationError, match="of another run than the one that has started"):
        request(ledger).resume(tmp_path / "b", noise=20.0)  # what the second one has saved
    assert answers(launch(path, "resume", tmp_path / "a"), "\n") == ["started", "step"]
    grant = request(ledger)
    assert grant.resume(tmp_path / "a", noise=20.0).steps == 2
    grant.start()  # changes nothing
    grant.start("another name")
    grant.settle()
    assert [entry.kind for entry in ledger.history()][-2:] == ["start", "settle"]
    assert ledger.person("Dee").spent.upper == pytest.approx(ration.epsilon(mu=2**0.5 / 20, delta=DELTA).upper, rel=1e-9)


def test_two_that_go_on_from_what_was_saved_before_the_start_cannot_both_start(ledger, path, tmp_path):
    """They are the same run by name: whoever saw the grant as reserved starts it once."""
    request(ledger).filter(noise=20.0).save(tmp_path / "f")
    one, two = request(ledger), request(ledger)
    for grant in (one, two):
        grant.resume(tmp_path / "f", noise=20.0)
    one.start()
    with pytest.raises(RationError, match="was started by another run"):
        two.start()
    one.start()  # changes nothing


def test_the_filter_of_a_launch_that_could_not_start_settles_nothing(ledger):
    first, second = request(ledger), request(ledger)
    other = second.filter(noise=20.0)
    first.start()
    other.admit(EVERYBODY)
    with pytest.raises(RationError, match="of another run than the one that has started"):
        request(ledger).settle(other)
    assert ledger.person("Dee").reserved.upper > 0


def test_a_run_that_was_killed_before_it_started_starts_from_what_it_saved(ledger, tmp_path):
    request(ledger).filter(noise=20.0).save(tmp_path / "f")
    grant = request(ledger)
    filter = grant.resume(tmp_path / "f", noise=20.0)
    grant.start()
    filter.admit(EVERYBODY)
    filter.save(tmp_path / "f")
    on = request(ledger)
    assert on.resume(tmp_path / "f", noise=20.0).steps == 1
    on.settle()


def test_nothing_was_released_is_said_in_so_many_words(ledger, tmp_path):
    grant = request(ledger)
    filter = grant.filter(noise=20.0)
    with pytest.raises(RationError, match="was not started: give it back by Ledger.void"):
        grant.settle_nothing()
    filter.save(tmp_path / "f")
    grant.start()
    with pytest.raises(RationError, match=r"seen no step.*call settle_nothing\(\) if nothing was released"):
        grant.settle()
    with pytest.raises(RationError, match="started by another run, which alone knows"):
        request(ledger).settle_nothing()
    on = request(ledger)  # after a crash between start and the first step
    on.resume(tmp_path / "f", noise=20.0)
    on.settle_nothing()
    on.settle_nothing()
    assert on.status == "settled" and spent(ledger) == [0.0] * 4
    assert all(ledger.person(id).reserved.upper == 0 for id in IDS)
    with pytest.raises(RationError, match="no step can follow"):
        filter.admit(EVERYBODY)
    ledger.verify()


def test_nothing_was_released_is_refused_after_a_step(ledger, tmp_path):
    grant, filter = begun(ledger, steps=1)
    with pytest.raises(RationError, match="has seen steps: settle with it"):
        grant.settle_nothing()
    grant._filter = None  # a step of a filter that the grant does not remember
    with pytest.raises(RationError, match="have charged steps here"):
        grant.settle_nothing()
    assert filter.admit(EVERYBODY).all()
    grant.settle(filter)


def test_threads_that_share_a_filter_or_not_lose_nothing(ledger):
    grant, filter = begun(ledger, steps=0)

    def admit(one, times):
        for _ in range(times):
            one.admit(np.full(4, 0.01))

    def together(*filters):
        threads = [threading.Thread(target=admit, args=(one, 200)) for one in filters]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    together(filter, filter, filter)
    assert filter.steps == 600
    refused = []

    def admit_until_refused(one):
        try:
            admit(one, 200)
        except RationError as error:
            refused.append(str(error))

    both = [filter, copy.deepcopy(filter)]
    threads = [threading.Thread(target=admit_until_refused, args=(one,)) for one in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1 and "a grant has one reserve" in refused[0]
    assert max(one.steps for one in both) == 800  # one of them has all steps
    grant.settle(max(both, key=lambda one: one.steps))


def test_settling_while_others_admit_counts_every_step_or_refuses_it(ledger):
    grant, filter = begun(ledger, steps=1)
    admitted, go = [], threading.Event()

    def admit():
        go.set()
        try:
            while True:
                admitted.append(filter.admit(np.full(4, 1e-4)))
        except RationError as refused:
            admitted.append(str(refused))

    thread = threading.Thread(target=admit)
    thread.start()
    go.wait()
    grant.settle()
    thread.join()
    assert "no step can follow" in admitted.pop()
    assert len(admitted) + 1 == filter.steps
    assert spent(ledger) == pytest.approx(filter.spent(DELTA).upper.tolist(), rel=1e-12)


def test_a_refused_step_is_none(ledger):
    grant, filter = begun(ledger, steps=1)
    for wrong in ([1.0], [1.0, np.nan, 1.0, 1.0], [1.0, -1.0, 1.0, 1.0]):
        with pytest.raises(RationError):
            filter.admit(wrong)
    grant.settle()
    one = ration.epsilon(mu=1 / 20, delta=DELTA).upper
    assert spent(ledger)[0] == pytest.approx(one, rel=1e-9)


def test_a_forked_child_charges_with_no_filter_of_its_parents_grant(ledger):
    grant, filter = begun(ledger)
    child = os.fork()
    if child == 0:
        try:
            filter.admit(EVERYBODY)
        except RationError as refused:
            os._exit(0 if "before a fork" in str(refused) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    grant.settle()


def test_a_forked_child_settles_with_no_filter_of_its_parent(ledger, path):
    grant, filter = begun(ledger)
    child = os.fork()
    if child == 0:
        try:
            request(Ledger.open(path)).settle(filter)
        except RationError as refused:
            os._exit(0 if "before a fork" in str(refused) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    filter.admit(EVERYBODY)
    grant.settle()


def test_a_child_that_is_forked_in_the_middle_of_a_step_is_refused_and_does_not_wait(ledger, path):
    grant, filter = begun(ledger)
    done = threading.Event()

    def work():
        while not done.is_set():
            filter.admit(EVERYBODY)

    thread = threading.Thread(target=work)
    thread.start()
    for _ in range(10):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            try:
                filter.admit(EVERYBODY)
            except RationError as refused:
                request(Ledger.open(path))
                os._exit(0 if "before a fork" in str(refused) else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
    done.set()
    thread.join()
    grant.settle()


def test_a_grants_filter_is_not_used_in_another_process_by_a_pickle(ledger, tmp_path):
    grant, filter = begun(ledger)
    (tmp_path / "pickle").write_bytes(pickle.dumps(filter))
    command = "import pickle, sys; pickle.load(open(sys.argv[1], 'rb'))"
    other = subprocess.run([sys.executable, "-c", command, tmp_path / "pickle"], capture_output=True, text=True)
    assert "filter of a grant was pickled by another process" in other.stderr
    child = os.fork()
    if child == 0:
        try:
            pickle.loads(pickle.dumps(filter))  # from and to the child
            pickle.load((tmp_path / "pickle").open("rb"))
        except RationError:
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    plain = GdpFilter(4, noise=1.0, mu=1.0)
    (tmp_path / "pickle").write_bytes(pickle.dumps(plain))
    subprocess.run([sys.executable, "-c", command, tmp_path / "pickle"], check=True)


def test_a_grant_is_no_value_that_could_be_copied(ledger):
    grant, _ = begun(ledger)
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            copied(grant)
