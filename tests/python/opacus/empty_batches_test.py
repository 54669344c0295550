"""A Poisson sample may be empty: then the step is noise, and everybody is charged as ever."""

import pytest
import torch
from small_training import DELTA, MODES, PEOPLE, Training


def trained_with_empty_batches(mode, **options):
    """An epoch of 48 steps at rate 1/48: about every third sample is empty. Returns how many were."""
    training = Training(mode, batch_size=1, **options)
    torch.manual_seed(12)
    empty = 0
    for batch in training.loader:
        before = training.parameters
        training.step(batch)
        if len(batch[0]) == 0:
            empty += 1
            assert (training.parameters != before).all()
    assert torch.isfinite(training.parameters).all()
    return training, empty


@pytest.mark.parametrize("kind", ["dense", "images", "words"])
@pytest.mark.parametrize("mode", MODES)
def test_empty_batches_are_noisy_steps(mode, kind):
    training, empty = trained_with_empty_batches(mode, kind=kind)
    assert 5 < empty < PEOPLE - 5
    assert training.optimizer.accounts.steps == len(training.engine.accountant) == PEOPLE
    spent = training.optimizer.accounts.epsilon(DELTA).upper
    assert spent.min() == spent.max() > 0


@pytest.mark.parametrize("mode", MODES)
def test_empty_batches_need_no_backward_pass(mode):
    whole, short = Training(mode, batch_size=1), Training(mode, batch_size=1)
    whole.epochs()
    torch.manual_seed(11)
    for batch in short.loader:
        if len(batch[0]):
            short.step(batch)
        else:
            short.optimizer.draw(batch[0])
            short.optimizer.step()
            short.optimizer.zero_grad()
    assert torch.equal(whole.parameters, short.parameters)


@pytest.mark.parametrize("mode", MODES)
def test_empty_batches_work_in_virtual_steps(mode):
    whole, split = Training(mode, batch_size=1), Training(mode, batch_size=1)
    whole.epochs()
    split.epochs(physical=1)
    assert split.parameters == pytest.approx(whole.parameters, abs=1e-6)
    assert split.optimizer.accounts.steps == PEOPLE
