"""Who has spent their budget contributes exactly nothing; nothing else changes."""

import numpy as np
import pytest
import ration
import torch
from small_training import CLIP, DELTA, MODES, NOISE, PEOPLE, TIGHT, Training, everybody, people

ODD = np.arange(PEOPLE) % 2 == 1
ODD_PEOPLE, EVEN_PEOPLE = np.flatnonzero(ODD).tolist(), np.flatnonzero(~ODD).tolist()


def odd_people_spent(mode, dataset=None):
    """A training at rate 1 in which everybody with an odd position may take part once, and has."""
    budget = {"steps": np.where(ODD, 1, 1000)}
    training = Training(mode, batch_size=PEOPLE, filter=budget, dataset=dataset)
    training.epochs()
    return training


@pytest.mark.parametrize("mode", MODES)
def test_filtered_people_contribute_exactly_zero(mode):
    training = odd_people_spent(mode)
    assert (training.contribution(ODD_PEOPLE) == 0).all()
    assert training.contribution(EVEN_PEOPLE).norm() > 0


@pytest.mark.parametrize("mode", MODES)
def test_a_batch_is_as_if_filtered_people_were_not_in_it(mode):
    training = odd_people_spent(mode)
    without = training.contribution(EVEN_PEOPLE)
    assert training.contribution(list(range(PEOPLE))) == pytest.approx(without, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("mode", MODES)
def test_filtered_people_pay_nothing(mode):
    training = odd_people_spent(mode)
    before = training.optimizer.accounts.epsilon(DELTA).upper
    training.epochs(2)
    after = training.optimizer.accounts.epsilon(DELTA).upper
    assert (after[ODD] == before[ODD]).all()
    assert (after[~ODD] > before[~ODD]).all()


def test_gradients_that_are_not_finite_contribute_nothing():
    inputs, labels = people().tensors
    inputs = inputs.clone()
    inputs[3], inputs[4] = torch.nan, torch.inf
    training = Training(batch_size=PEOPLE, dataset=torch.utils.data.TensorDataset(inputs, labels))
    training.optimizer.refresh(everybody(training.dataset))
    assert (training.optimizer.bounds[[3, 4]] == CLIP).all()
    assert (training.contribution([3, 4]) == 0).all()
    others = [person for person in range(PEOPLE) if person not in (3, 4)]
    without = training.contribution(others)
    assert training.contribution(list(range(PEOPLE))) == pytest.approx(without, rel=1e-5, abs=1e-6)


def test_ghost_clipping_refuses_gradients_that_are_not_finite():
    inputs, labels = people().tensors
    inputs = inputs.clone()
    inputs[3] = torch.nan
    training = Training("ghost", batch_size=PEOPLE, dataset=torch.utils.data.TensorDataset(inputs, labels))
    with pytest.raises(ration.RationError, match="not finite"):
        training.epochs()


@pytest.mark.parametrize("mode", MODES)
def test_a_bound_of_zero_contributes_exactly_zero(mode):
    training = Training(mode, batch_size=PEOPLE)
    training.optimizer.books.hold(np.where(ODD, 0.0, 1.0))
    assert (training.contribution(ODD_PEOPLE) == 0).all()


@pytest.mark.parametrize("mode", MODES)
def test_steps_go_on_with_noise_when_nobody_is_left(mode):
    training = Training(mode, filter={"steps": 1})
    training.epochs()
    before = training.parameters
    training.epochs()
    assert training.optimizer.accounts.steps == 16
    assert (training.parameters != before).all()


def test_the_sum_is_divided_by_a_number_that_nobody_changes():
    alone, spent = Training(), Training(filter={"steps": 1})
    assert alone.optimizer.expected_batch_size == spent.optimizer.expected_batch_size == 6
    spent.epochs(2)
    assert spent.optimizer.expected_batch_size == 6


@pytest.mark.parametrize("batch_size", [6, PEOPLE])
def test_no_total_exceeds_the_budget_and_the_engine_promises_no_more_than_it(batch_size):
    training = Training(batch_size=batch_size, filter={"epsilon": 1.0, "delta": DELTA})
    for _ in range(4):
        training.optimizer.refresh(everybody(training.dataset))
        training.epochs(10 if batch_size == PEOPLE else 2)
    worst = training.engine.accountant.get_epsilon(DELTA)
    promised = training.engine.get_epsilon(DELTA)
    assert promised <= 1.0 < worst
    assert training.optimizer.accounts.epsilon(DELTA, "rdp").upper.max() <= worst
    assert training.optimizer.filter.spent(DELTA)["upper"].max() <= promised * (1 + 1e-12)
    kind = ration.GdpFilter if batch_size == PEOPLE else ration.RenyiFilter
    assert isinstance(training.optimizer.filter, kind)


def test_a_tight_filter_lets_people_take_part_in_more_steps_than_a_renyi_filter():
    tight = Training(filter=TIGHT)
    renyi = Training(filter={"kind": "rdp", "epsilon": 4.0, "delta": DELTA})
    for training in (tight, renyi):
        training.epochs(3)  # everybody at the clip bound
        fit = training.optimizer.filter.worst_case_steps()
        assert 0 < fit < training.optimizer.accounts.steps == 24
        plan = ration.Gaussian(NOISE, rate=training.optimizer.rate, steps=fit)
        paid = training.optimizer.accounts.epsilon(DELTA).upper
        assert paid == pytest.approx(ration.compose(plan, delta=DELTA).epsilon.upper, rel=1e-3)
        assert training.engine.get_epsilon(DELTA) <= 4.0 < training.engine.accountant.get_epsilon(DELTA)
    assert isinstance(tight.optimizer.filter, ration.TightFilter)
    assert tight.optimizer.filter.worst_case_steps() > 1.2 * renyi.optimizer.filter.worst_case_steps()
    with pytest.raises(ration.RationError, match="for which the prices of this filter were made"):
        tight.engine.get_epsilon(DELTA / 2)


def test_with_many_budgets_the_engine_promises_the_largest():
    eps = np.where(ODD, 0.5, 2.0)
    training = Training(batch_size=PEOPLE, filter={"epsilon": eps, "delta": DELTA})
    training.epochs(40)
    assert training.engine.accountant.get_epsilon(DELTA) > 2.0
    assert 1.999 < training.engine.get_epsilon(DELTA) <= 2.0


def test_without_a_filter_the_engine_promises_the_worst_case():
    training = Training()
    training.epochs()
    plan = ration.Gaussian(NOISE, rate=training.optimizer.rate, steps=8)
    assert training.engine.get_epsilon(DELTA) == ration.compose(plan, delta=DELTA).epsilon.upper
    worst = training.optimizer.accounts.epsilon(DELTA).upper.max()
    assert worst == pytest.approx(training.engine.get_epsilon(DELTA), rel=1e-3)  # two certified ends of one number
