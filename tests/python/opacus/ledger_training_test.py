"""A training under a grant: everybody's reserve is their budget, what it charged is settled, a crash spends all of it."""

import logging

import numpy as np
import pytest
import ration
import torch
from ration.opacus import Indexed
from small_training import DELTA, PEOPLE, Training, everybody, people

TWICE = [f"patient {record // 2}" for record in range(PEOPLE)]
IDS = [f"patient {number}" for number in range(24)]
STEP = ration.Gaussian(noise=1.0, rate=1 / 4)


def ledger_of(path, currency="gdp", ids=None, **budget):
    ids = ["somebody else", *reversed(IDS), "another one"] if ids is None else ids
    budget = budget or {"epsilon": 20.0, "shape": STEP if currency == "rdp" else None}
    return ration.Ledger.create(path, ids=ids, delta=DELTA, currency=currency, **budget)


def request(ledger, token="one"):
    limit = {"epsilon": 10.0} if ledger.currency == "gdp" else {"epsilon": 10.0, "shape": STEP}
    return ledger.grant(token=token, team="imaging", **limit)


def training_of(grant, mode="hooks", **options):
    batch_size = 24 if grant.ledger.currency == "gdp" else 6
    return Training(mode, ids=TWICE, batch_size=batch_size, filter=grant, **options)


@pytest.mark.parametrize("currency", ["gdp", "rdp"])
def test_what_was_charged_is_settled_with_the_right_people(currency, tmp_path):
    ledger = ledger_of(tmp_path / "ledger", currency)
    training = training_of(request(ledger))
    assert ledger.grants()[0].status == "reserved"
    training.optimizer.refresh(everybody(training.dataset, TWICE))
    training.epochs(2)
    assert ledger.grants()[0].status == "started"
    assert ledger.person("somebody else").reserved.upper > 9
    spent = dict(zip(training.items.ids, training.optimizer.filter.spent(DELTA).upper))
    training.engine.settle()
    assert ledger.grants()[0].status == "settled"
    assert len({round(eps, 6) for eps in spent.values()}) > 5
    for id, eps in spent.items():
        assert ledger.person(id).spent.upper == pytest.approx(eps, rel=1e-9, abs=1e-300)
        assert ledger.person(id).reserved.upper == 0
    assert ledger.person("somebody else").spent.upper == ledger.person("another one").reserved.upper == 0
    ledger.verify()
    with pytest.raises(ration.RationError, match="is settled: no step can follow"):
        training.epochs()


def test_who_has_nothing_left_adds_nothing_and_nobody_exceeds_their_budget(tmp_path, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    mu = np.where(np.arange(24) % 2 == 0, 0.5, 5.0)
    ledger = ledger_of(tmp_path / "ledger", ids=IDS, mu=mu)
    ledger.admit(token="before", norms=[1.0] * 24, noise=4.0)
    with ledger.grant(token="one") as grant:
        training = training_of(grant)
        training.epochs(5)
        assert (training.contribution([0, 2, 4]) == 0).all()
        assert training.contribution([1]).norm() > 0
    assert grant.status == "settled"
    for id in IDS:
        person = ledger.person(id)
        assert person.spent.upper <= person.budget.upper * (1 + 1e-12)
    ledger.verify()
    printed = "".join(capfd.readouterr()) + caplog.text
    assert "patient" not in printed and "left out" not in printed


def test_the_promise_is_the_limit_and_not_what_people_have_left(tmp_path):
    ledger = ledger_of(tmp_path / "ledger")
    ledger.grant(token="first", epsilon=18.0)
    training = training_of(request(ledger))
    training.epochs(20)
    largest = training.optimizer.filter.budget(DELTA).upper
    assert largest < 9.9
    assert 9.9 < training.engine.get_epsilon(DELTA) <= 10.0 < training.engine.accountant.get_epsilon(DELTA)


@pytest.mark.parametrize("currency", ["gdp", "rdp"])
@pytest.mark.parametrize("mode", ["hooks", "ghost"])
def test_a_training_goes_on_with_the_same_token(mode, currency, tmp_path):
    path = tmp_path / "ledger"
    first = training_of(request(ledger_of(path, currency)), mode)
    first.epochs()
    torch.save(first.optimizer.state_dict(), tmp_path / "state")  # and then it is killed
    ledger = ration.Ledger.open(path)
    grant = request(ledger)
    assert grant.status == "started"
    again = training_of(grant, mode)
    for act in (again.epochs, again.engine.settle):
        with pytest.raises(ration.RationError, match="was started before: load the checkpoint"):
            act()
    again.optimizer.abandon()
    again.optimizer.load_state_dict(torch.load(tmp_path / "state", weights_only=True))
    again.epochs()
    assert again.optimizer.accounts.steps == again.optimizer.filter.steps == 2 * first.optimizer.accounts.steps
    spent = again.optimizer.filter.spent(DELTA).upper
    again.engine.settle()
    assert ledger.person("patient 3").spent.upper == pytest.approx(spent[3], rel=1e-9)
    ledger.verify()


def test_a_checkpoint_of_another_run_or_grant_is_refused(tmp_path):
    ledger = ledger_of(tmp_path / "ledger")
    one = training_of(request(ledger))
    one.epochs()
    state = one.optimizer.state_dict()
    with pytest.raises(ration.RationError, match="of another grant than 'two'"):
        training_of(request(ledger, "two")).optimizer.load_state_dict(state)
    for filtered in (None, {"steps": 7}):
        with pytest.raises(ration.RationError, match="another budget"):
            Training(ids=TWICE, batch_size=24, filter=filtered).optimizer.load_state_dict(state)
    state["ration"]["grant"]["run"] = "of somebody else"
    with pytest.raises(ration.RationError, match="of another training"):
        training_of(request(ledger)).optimizer.load_state_dict(state)


def test_a_checkpoint_of_other_people_of_the_same_number_is_refused(tmp_path):
    """Also without a grant: charges would be of somebody else."""
    ledger = ledger_of(tmp_path / "ledger")
    others = [f"patient {23 - record // 2}" for record in range(PEOPLE)]  # the same in another order
    uneven = ["patient 0", "patient 0", "patient 0", *TWICE[3:]]
    for budget in (lambda: request(ledger), lambda: {"steps": 7}, lambda: None):
        one = Training(ids=TWICE, batch_size=24, filter=budget())
        state = one.optimizer.state_dict()
        for ids in (others, uneven, [id.replace("1", "one") for id in TWICE]):
            if ids[2] == "patient one" and isinstance(budget(), ration.Grant):
                continue  # who are none of the grant
            two = Training(ids=ids, batch_size=24, filter=budget())
            with pytest.raises(ration.RationError, match="other people, or of the same in another order") as refused:
                two.optimizer.load_state_dict(state)
            assert "patient" not in str(refused.value)
        Training(ids=TWICE, batch_size=24, filter=budget()).optimizer.load_state_dict(state)
    anybody = Training(batch_size=24, dataset=people(count=24), filter=None)
    with pytest.raises(ration.RationError, match="other people"):
        anybody.optimizer.load_state_dict(Training(ids=TWICE, batch_size=24, filter=None).optimizer.state_dict())


def test_an_older_checkpoint_is_loaded_with_a_warning(tmp_path):
    """It does not say whose it is, and neither does its filter."""
    ledger = ledger_of(tmp_path / "ledger", ids=list(reversed(IDS)))
    state = training_of(request(ledger)).optimizer.state_dict()
    del state["ration"]["people"]
    grant = request(ledger)
    older = grant._describe(ledger._core.filter(grant._core, [], ""), (1.0, 3.0, 1.0), [])
    state["ration"]["filter"] = older.state_dict()
    new = {**state["ration"], "people": training_of(request(ledger)).optimizer.state_dict()["ration"]["people"]}
    with pytest.raises(ration.RationError, match="for these people in this order"):
        training_of(request(ledger)).optimizer.load_state_dict({**state, "ration": new})
    training = training_of(request(ledger))
    with pytest.warns(UserWarning, match="does not say whose it is"):
        training.optimizer.load_state_dict(state)
    training.optimizer.refresh(everybody(training.dataset, TWICE))
    training.epochs(2)
    spent = dict(zip(training.items.ids, training.optimizer.filter.spent(DELTA).upper))
    again = training_of(request(ledger))
    again.optimizer.load_state_dict(training.optimizer.state_dict())  # which says so now
    again.engine.settle()
    for id, eps in spent.items():
        assert ledger.person(id).spent.upper == pytest.approx(eps, rel=1e-9, abs=1e-300)


def test_steps_after_the_checkpoint_are_not_forgotten(tmp_path):
    """A new engine goes on from step 1 in the process that has made step 2, which may have been seen."""
    ledger = ledger_of(tmp_path / "ledger")
    one = training_of(request(ledger))
    one.epochs()
    state = one.optimizer.state_dict()
    one.epochs()
    for _ in range(2):
        two = training_of(request(ledger))
        with pytest.raises(ration.RationError, match="that the checkpoint does not have"):
            two.optimizer.load_state_dict(state)
        with pytest.raises(ration.RationError, match="was started before"):
            two.epochs()
    three = training_of(request(ledger))
    three.optimizer.load_state_dict(one.optimizer.state_dict())
    three.epochs()
    for earlier in (one, two):  # 3 of 3 steps are in the third alone
        with pytest.raises(ration.RationError, match="forgotten|was started before"):
            earlier.engine.settle()
    three.engine.settle()
    assert three.optimizer.filter.steps == 3
    with pytest.raises(ration.RationError, match="is settled|has ended"):
        one.epochs()


def test_a_training_whose_first_step_failed_may_say_that_nothing_was_released(tmp_path):
    ledger = ledger_of(tmp_path / "ledger")
    grant = request(ledger)
    training = training_of(grant)
    training.optimizer.books.granted.begin()
    with pytest.raises(ration.RationError, match="settle_nothing"):
        training.engine.settle()
    with pytest.raises(ration.RationError, match="started by another run"):
        request(ledger).settle_nothing()
    grant.settle_nothing()
    assert ledger.person("patient 1").spent.upper == ledger.person("patient 1").reserved.upper == 0
    with pytest.raises(ration.RationError, match="is settled"):
        training.epochs()


def test_two_trainings_cannot_spend_one_grant(tmp_path):
    ledger = ledger_of(tmp_path / "ledger")
    grant = request(ledger)
    one, two, three = training_of(grant), training_of(grant), training_of(request(ledger))
    one.epochs()
    for other in (two, three):
        with pytest.raises(ration.RationError, match="started by another run"):
            other.epochs()
        assert other.optimizer.accounts.steps == 0
    one.engine.settle()
    assert ledger.person("patient 5").spent.upper > 0
    ledger.verify()


def test_two_trainings_from_one_checkpoint_before_the_start_cannot_both_go_on(tmp_path):
    ledger = ledger_of(tmp_path / "ledger")
    state = training_of(request(ledger)).optimizer.state_dict()
    one, two = training_of(request(ledger)), training_of(request(ledger))
    for training in (one, two):
        training.optimizer.load_state_dict(state)
    one.epochs()
    with pytest.raises(ration.RationError, match="was started by another run"):
        two.epochs()
    assert two.optimizer.accounts.steps == 0
    one.engine.settle()


def test_an_old_copy_of_the_ledger_is_refused(tmp_path):
    path, copy = tmp_path / "ledger", tmp_path / "copy"
    ledger = ledger_of(path)
    grant = request(ledger)
    copy.write_bytes(path.read_bytes())
    training = training_of(grant)
    training.epochs()
    again = training_of(request(ration.Ledger.open(copy)))
    with pytest.raises(ration.RationError, match="never had the head"):
        again.optimizer.load_state_dict(training.optimizer.state_dict())


def test_grants_that_do_not_fit_are_refused(tmp_path):
    ledger = ledger_of(tmp_path / "ledger")
    with pytest.raises(ration.RationError, match="people=ids"):
        Training(batch_size=PEOPLE, filter=request(ledger))
    with pytest.raises(ration.RationError, match="counts in gdp"):
        Training(ids=TWICE, batch_size=6, filter=request(ledger))
    with pytest.raises(ration.RationError, match="somebody is not among the people") as refused:
        Training(ids=[*TWICE[:-1], "new patient"], batch_size=25, filter=request(ledger))
    assert "patient" not in str(refused.value).replace("people", "")
    ledger.void("one")
    with pytest.raises(ration.RationError, match="is voided"):
        training_of(request(ledger))
    with pytest.raises(ration.RationError, match="no grant"):
        Training(ids=TWICE).engine.settle()
    assert {entry.status for entry in ledger.grants()} == {"voided"}


def test_one_record_each_may_have_a_grant_too(tmp_path):
    ids = list(range(PEOPLE))
    ledger = ration.Ledger.create(tmp_path / "ledger", ids=ids, epsilon=20.0, delta=DELTA)
    with ledger.grant(token="t", epsilon=10.0, ids=ids) as grant:
        training = Training(dataset=people(), ids=ids, batch_size=PEOPLE, filter=grant)
        assert len(Indexed(training.dataset, people=ids)) == PEOPLE
        training.epochs(2)
    assert all(0 < ledger.person(id).spent.upper <= 10.0 for id in ids)
