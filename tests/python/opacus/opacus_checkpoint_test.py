"""Accounts, filter and held bounds travel in the optimizer's state; a training goes on as it would have."""

import copy
import pickle

import pytest
import ration
import torch
from small_training import DELTA, MODES, TIGHT, Training, everybody, people

BUDGET = {"steps": 6}


def begun(mode, budget=BUDGET):
    training = Training(mode, filter=budget)
    training.optimizer.refresh(everybody(training.dataset))
    training.epochs()
    return training


@pytest.mark.parametrize(("mode", "budget"), [("hooks", BUDGET), ("ghost", BUDGET), ("hooks", TIGHT)])
def test_a_loaded_training_goes_on_as_it_would_have(mode, budget, tmp_path):
    went_on = begun(mode, budget)
    went_on.engine.save_checkpoint(
        path=tmp_path / "checkpoint", module=went_on.module, optimizer=went_on.optimizer
    )
    torch.save(went_on.optimizer.generator.get_state(), tmp_path / "noise")
    loaded = Training(mode, filter=budget)
    loaded.engine.load_checkpoint(path=tmp_path / "checkpoint", module=loaded.module, optimizer=loaded.optimizer)
    loaded.optimizer.generator.set_state(torch.load(tmp_path / "noise"))
    for training in (went_on, loaded):
        torch.manual_seed(13)
        for batch in training.loader:
            training.step(batch)
    assert torch.equal(went_on.parameters, loaded.parameters)
    assert went_on.engine.get_epsilon(DELTA) == loaded.engine.get_epsilon(DELTA)
    spent = [training.optimizer.accounts.epsilon(DELTA).upper for training in (went_on, loaded)]
    assert (spent[0] == spent[1]).all()
    assert (went_on.optimizer.bounds == loaded.optimizer.bounds).all()
    assert went_on.optimizer.filter.state_dict() == loaded.optimizer.filter.state_dict()


@pytest.mark.parametrize("filtered", [None, BUDGET, {"epsilon": [1.0] * 48, "delta": DELTA}, TIGHT])
def test_the_state_loads_with_weights_only(filtered, tmp_path):
    training = Training(filter=filtered)
    training.epochs()
    torch.save(training.optimizer.state_dict(), tmp_path / "state")
    other = Training(filter=filtered)
    other.optimizer.load_state_dict(torch.load(tmp_path / "state", weights_only=True))
    assert other.optimizer.accounts.steps == 8


def test_a_checkpoint_without_accounts_is_refused():
    training = Training()
    state = training.optimizer.original_optimizer.state_dict()
    with pytest.raises(ration.RationError, match="forget what everybody has spent"):
        training.optimizer.load_state_dict(state)


@pytest.mark.parametrize("filtered", [None, {"steps": 7}, {"epsilon": 1.0, "delta": DELTA}])
def test_a_checkpoint_under_another_budget_is_refused(filtered):
    other = Training(filter=filtered)
    with pytest.raises(ration.RationError, match="another budget"):
        other.optimizer.load_state_dict(begun("hooks").optimizer.state_dict())
    assert other.optimizer.accounts.steps == 0


def test_a_checkpoint_under_another_kind_of_filter_is_refused():
    renyi = Training(filter={name: value for name, value in TIGHT.items() if name != "kind"})
    with pytest.raises(ration.RationError, match="another budget"):
        renyi.optimizer.load_state_dict(Training(filter=TIGHT).optimizer.state_dict())


def test_other_peoples_checkpoint_is_refused():
    other = Training(dataset=people(count=40), filter=BUDGET)
    with pytest.raises(ration.RationError, match="of 48 people and here are 40"):
        other.optimizer.load_state_dict(begun("hooks").optimizer.state_dict())


@pytest.mark.parametrize("filtered", [None, BUDGET])
def test_the_optimizers_state_alone_brings_the_steps_with_it(filtered):
    training, other = Training(filter=filtered), Training(filter=filtered)
    training.epochs()
    other.optimizer.load_state_dict(training.optimizer.state_dict())
    assert other.engine.get_epsilon(DELTA) == training.engine.get_epsilon(DELTA) > 0
    assert len(other.engine.accountant) == 8
    other.epochs()
    assert len(other.engine.accountant) == other.optimizer.accounts.steps == 16
    assert len(training.engine.accountant) == 8


def test_opacus_checkpoint_counts_no_step_twice(tmp_path):
    training, other = Training(), Training()
    training.epochs()
    training.engine.save_checkpoint(path=tmp_path / "c", module=training.module, optimizer=training.optimizer)
    other.engine.load_checkpoint(path=tmp_path / "c", module=other.module, optimizer=other.optimizer)
    assert len(other.engine.accountant) == other.optimizer.accounts.steps == 8


@pytest.mark.filterwarnings("ignore:optimizer_state_dict")
def test_a_checkpoint_that_is_loaded_without_the_accounts_is_refused_from_then_on(tmp_path):
    training, other = Training(), Training()
    training.epochs()
    training.engine.save_checkpoint(path=tmp_path / "c", module=training.module, optimizer=training.optimizer)
    other.engine.load_checkpoint(path=tmp_path / "c", module=other.module)
    for act in (lambda: other.engine.get_epsilon(DELTA), lambda: other.optimizer.accounts, other.epochs):
        with pytest.raises(ration.RationError, match="accounts have 0 steps and the accountant has 8"):
            act()


def test_steps_that_were_made_are_not_forgotten(tmp_path):
    training = Training()
    training.epochs()
    training.engine.save_checkpoint(path=tmp_path / "c", module=training.module, optimizer=training.optimizer)
    early = training.optimizer.state_dict()
    training.epochs()
    spent = training.engine.get_epsilon(DELTA)
    with pytest.raises(ration.RationError, match="would be forgotten"):
        training.optimizer.load_state_dict(early)
    with pytest.raises(ration.RationError, match="would be forgotten"):
        training.engine.load_checkpoint(path=tmp_path / "c", module=training.module, optimizer=training.optimizer)
    assert training.engine.get_epsilon(DELTA) == spent
    assert training.optimizer.accounts.steps == 16


@pytest.mark.parametrize("epochs", [1, 2])
def test_another_trainings_checkpoint_does_not_replace_steps_that_were_made(epochs, tmp_path):
    training, other = Training(), Training(noise_multiplier=9.0)
    other.epochs(epochs)
    other.engine.save_checkpoint(path=tmp_path / "c", module=other.module, optimizer=other.optimizer)
    training.epochs()
    spent = training.engine.get_epsilon(DELTA)
    with pytest.raises(ration.RationError, match="would be forgotten"):
        training.optimizer.load_state_dict(other.optimizer.state_dict())
    with pytest.raises(ration.RationError, match="would be forgotten"):
        training.engine.load_checkpoint(path=tmp_path / "c", module=training.module, optimizer=training.optimizer)
    assert training.engine.get_epsilon(DELTA) == spent


def test_two_trainings_that_go_on_from_one_checkpoint_do_not_replace_each_other():
    first = Training()
    first.epochs()
    second = Training()
    second.optimizer.load_state_dict(first.optimizer.state_dict())
    second.epochs(2)
    with pytest.raises(ration.RationError, match="would be forgotten"):
        second.optimizer.load_state_dict(first.optimizer.state_dict())
    first.optimizer.load_state_dict(second.optimizer.state_dict())  # has all of its steps
    assert first.optimizer.accounts.steps == 24
    first.epochs()
    second.epochs(2)
    for one, other in ((first, second), (second, first)):
        with pytest.raises(ration.RationError, match="would be forgotten"):
            one.optimizer.load_state_dict(other.optimizer.state_dict())


def test_a_step_under_way_is_not_released_after_a_state_that_fits_in_part():
    training = Training(batch_size=48)
    training.backward(training.batch_of([1, 2]))
    state = training.optimizer.state_dict()
    state["param_groups"] = []
    before = training.parameters
    with pytest.raises(ValueError, match="parameter groups"):
        training.optimizer.load_state_dict(state)
    with pytest.raises(ration.RationError, match="call draw"):
        training.optimizer.step()
    assert torch.equal(training.parameters, before)


@pytest.mark.parametrize("part", ["accounts", "filter"])
def test_accounts_of_other_people_are_refused_though_the_rest_is_right(part):
    few, other = Training(dataset=people(count=40), filter=BUDGET, batch_size=5), Training(filter=BUDGET)
    few.epochs()
    state = begun("hooks").optimizer.state_dict()
    state["ration"][part] = few.optimizer.state_dict()["ration"][part]
    with pytest.raises(ration.RationError, match="of other people"):
        other.optimizer.load_state_dict(state)
    assert other.optimizer.accounts.steps == 0


def test_a_state_without_its_steps_is_refused():
    state = begun("hooks").optimizer.state_dict()
    del state["ration"]["accountant"]
    with pytest.raises(ration.RationError, match="which steps were made"):
        Training(filter=BUDGET).optimizer.load_state_dict(state)
    state = begun("hooks").optimizer.state_dict()
    state["ration"]["accountant"]["history"] = []
    with pytest.raises(ration.RationError, match="not of the steps"):
        Training(filter=BUDGET).optimizer.load_state_dict(state)


def test_a_step_that_was_refused_leaves_an_engine_that_still_answers():
    training = Training(filter=BUDGET)
    training.epochs()
    spent = training.engine.get_epsilon(DELTA)
    training.optimizer.noise_multiplier /= 2
    with pytest.raises(ration.RationError, match="noise"):
        training.epochs()
    assert training.engine.get_epsilon(DELTA) == spent


def test_a_checkpoint_within_a_step_has_the_step_charged():
    training = Training(batch_size=48)
    training.optimizer.draw([1])
    other = Training(batch_size=48)
    other.optimizer.load_state_dict(training.optimizer.state_dict())
    assert other.optimizer.accounts.steps == 1
    other.epochs()
    assert other.optimizer.accounts.steps == 2


@pytest.mark.parametrize("mode", MODES)
def test_a_copy_of_the_module_takes_nobodys_account_with_it(mode):
    training = begun(mode)
    averaged = copy.deepcopy(training.module).eval()
    training.epochs()
    assert training.optimizer.accounts.steps == 16
    assert torch.isfinite(averaged(training.dataset[:4][0])).all()
    held = str(pickle.dumps(training.module))
    assert "Books" not in held and "Accounts" not in held
