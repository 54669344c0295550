"""With the filter off and everybody's bound at the full clip, the training is plain Opacus'."""

import pytest
import torch
from small_training import MODES, PEOPLE, Training

STEPS = 24  # three epochs of eight
SMALL_CLIP = 0.3  # below almost every gradient's norm: clipping is what would differ


def apart(one, other):
    difference = (one.parameters - other.parameters).norm()
    moved = one.parameters.norm()
    return float(difference / moved), float((one.parameters - other.parameters).abs().max())


@pytest.mark.parametrize("kind", ["dense", "images", "words", "recurrent", "dropout"])
@pytest.mark.parametrize("mode", MODES)
def test_parameters_after_20_steps_equal_plain_opacus(mode, kind):
    ours = Training(mode, kind=kind, max_grad_norm=SMALL_CLIP)
    plain = Training(mode, kind=kind, max_grad_norm=SMALL_CLIP, plain=True)
    ours.epochs(3)
    plain.epochs(3)
    assert ours.optimizer.accounts.steps == STEPS
    assert max(apart(ours, plain)) <= 1e-6


@pytest.mark.parametrize("options", [{"grad_sample_mode": "functorch"}, {"wrap_model": False}, {"max_grad_norm": 1.5}])
def test_the_same_holds_for_other_settings(options):
    mode = options.pop("grad_sample_mode", "hooks")
    ours, plain = Training(mode, **options), Training(mode, **options, plain=True)
    ours.epochs(3)
    plain.epochs(3)
    assert max(apart(ours, plain)) <= 1e-6


@pytest.mark.parametrize("mode", MODES)
def test_the_same_holds_for_summed_losses(mode):
    ours = Training(mode, loss_reduction="sum")
    plain = Training(mode, loss_reduction="sum", plain=True)
    ours.epochs(3)
    plain.epochs(3)
    assert max(apart(ours, plain)) <= 1e-6


@pytest.mark.parametrize("mode", MODES)
def test_the_same_holds_for_virtual_steps(mode):
    ours, plain = Training(mode), Training(mode, plain=True)
    ours.epochs(3, physical=2)
    plain.epochs(3, physical=2)
    assert ours.optimizer.accounts.steps == STEPS
    assert max(apart(ours, plain)) <= 1e-6


@pytest.mark.parametrize("mode", MODES)
def test_virtual_steps_train_the_same_model_as_whole_batches(mode):
    whole, split = Training(mode), Training(mode)
    whole.epochs(3)
    split.epochs(3, physical=2)
    assert max(apart(whole, split)) <= 1e-6
    assert whole.optimizer.accounts.steps == split.optimizer.accounts.steps == STEPS


@pytest.mark.parametrize("mode", MODES)
def test_loaders_that_work_ahead_make_no_difference(mode):
    alone, ahead = Training(mode), Training(mode, workers=2)
    for training in (alone, ahead):
        training.loader.batch_sampler.generator = torch.Generator().manual_seed(6)
        training.epochs(2, physical=2)
    assert torch.equal(alone.parameters, ahead.parameters)
    assert ahead.optimizer.accounts.steps == 16


@pytest.mark.parametrize("mode", MODES)
def test_the_same_holds_in_float64(mode):
    torch.set_default_dtype(torch.float64)
    try:
        ours, plain = (Training(mode, max_grad_norm=SMALL_CLIP, plain=plain) for plain in (False, True))
        ours.epochs(3)
        plain.epochs(3)
        assert ours.parameters.dtype == torch.float64
        assert max(apart(ours, plain)) <= 1e-6
    finally:
        torch.set_default_dtype(torch.float32)


def test_closures_work_as_in_opacus():
    ours, closed = Training(), Training()
    ours.epochs()
    torch.manual_seed(11)
    for batch in closed.loader:
        closed.optimizer.step(lambda batch=batch: closed.backward(batch))
        closed.optimizer.zero_grad()
    assert torch.equal(ours.parameters, closed.parameters)


def test_everybody_in_every_batch_needs_no_poisson_loader():
    ours = Training(batch_size=PEOPLE, poisson_sampling=False)
    plain = Training(batch_size=PEOPLE, poisson_sampling=False, plain=True)
    ours.epochs(20)
    plain.epochs(20)
    assert ours.optimizer.rate == 1.0
    assert max(apart(ours, plain)) <= 1e-6
