"""Refreshing measures everybody with the parameters as they are, and touches nothing else."""

import numpy as np
import pytest
import ration
import torch
from ration.opacus import Indexed
from small_training import CLIP, MODES, PEOPLE, Training, everybody, people
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, Subset, TensorDataset

TINY_CLIP = 1e-3  # below everybody's norm: refreshed bounds are the clip bound again


@pytest.mark.parametrize("kind", ["dense", "dropout"])
@pytest.mark.parametrize("mode", MODES)
def test_refreshing_leaves_samples_noise_and_dropout_as_they_were(mode, kind):
    without, refreshed = (Training(mode, kind=kind, max_grad_norm=TINY_CLIP) for _ in range(2))
    without.epochs(3)
    for _ in range(3):
        refreshed.epochs()
        refreshed.optimizer.refresh(everybody(refreshed.dataset))
    assert (refreshed.optimizer.bounds == TINY_CLIP).all()
    assert torch.equal(without.parameters, refreshed.parameters)


def test_refreshing_leaves_a_shared_generator_as_it_was():
    training = Training()
    shared = training.loader.generator = torch.Generator().manual_seed(7)
    before = shared.get_state()
    sampler = RandomSampler(training.dataset, generator=shared)
    training.optimizer.refresh(
        DataLoader(Indexed(training.dataset), batch_size=5, sampler=sampler, generator=shared)
    )
    assert torch.equal(shared.get_state(), before)


@pytest.mark.parametrize("mode", MODES)
def test_refreshing_leaves_no_gradients_behind(mode):
    training = Training(mode)
    training.optimizer.refresh(everybody(training.dataset))
    for p in training.module.parameters():
        assert p.grad is None
        assert p.grad_sample is None
        assert p.summed_grad is None


@pytest.mark.parametrize("mode", MODES)
def test_bounds_do_not_depend_on_the_order_of_the_pass(mode):
    one, other = Training(mode), Training(mode)
    one.optimizer.refresh(everybody(one.dataset))
    other.optimizer.refresh(DataLoader(Indexed(other.dataset), batch_size=7, shuffle=True))
    assert one.optimizer.bounds == pytest.approx(other.optimizer.bounds, rel=1e-6)
    assert (one.optimizer.bounds < CLIP).any()


@pytest.mark.parametrize("mode", MODES)
def test_bounds_do_not_depend_on_the_random_numbers_that_draw_samples(mode):
    training, bounds = Training(mode, kind="dropout"), []
    for seed in (1, 2):
        torch.manual_seed(seed)
        training.optimizer.refresh(everybody(training.dataset))
        bounds.append(training.optimizer.bounds)
    assert (bounds[0] == bounds[1]).all()


@pytest.mark.parametrize("mode", MODES)
def test_a_loss_of_ones_own_measures_the_same(mode):
    one, other = Training(mode), Training(mode)
    one.optimizer.refresh(everybody(one.dataset))
    other.optimizer.refresh(
        everybody(other.dataset), loss=lambda batch: other.criterion(other.module(batch[1]), batch[2])
    )
    assert (one.optimizer.bounds == other.optimizer.bounds).all()


@pytest.mark.parametrize("mode", MODES)
def test_labels_that_are_left_out_change_nobody_elses_bound(mode):
    one, other = (Training(mode, dataset=TensorDataset(*(x.clone() for x in people().tensors))) for _ in range(2))
    one.optimizer.refresh(everybody(one.dataset))
    other.dataset.tensors[1][:4] = -100
    if mode == "hooks":
        with pytest.raises(ration.RationError, match="leaves labels out"):
            other.optimizer.refresh(everybody(other.dataset))
        return
    other.optimizer.refresh(everybody(other.dataset))
    assert (other.optimizer.bounds[4:] == one.optimizer.bounds[4:]).all()
    assert (other.optimizer.bounds[:4] == 0).all()


def test_class_weights_under_ghost_clipping_change_nobody_elses_bound():
    weighted, bounds = torch.tensor([1.0, 1.0, 100.0]), []
    for label in (0, 2):
        dataset = TensorDataset(*(x.clone() for x in people().tensors))
        dataset.tensors[1][0] = label
        training = Training("ghost", dataset=dataset, criterion=nn.CrossEntropyLoss(weight=weighted))
        training.optimizer.refresh(everybody(dataset))
        bounds.append(training.optimizer.bounds)
    assert bounds[0][1:] == pytest.approx(bounds[1][1:], rel=1e-6)


def refused(training, loader, match):
    training.optimizer.refresh(everybody(training.dataset))
    before = training.optimizer.bounds
    training.epochs()
    with pytest.raises(ration.RationError, match=match):
        training.optimizer.refresh(loader)
    assert (training.optimizer.bounds == before).all()


@pytest.mark.parametrize("mode", MODES)
def test_a_pass_without_somebody_is_refused(mode):
    training = Training(mode)
    refused(training, DataLoader(Subset(Indexed(training.dataset), range(PEOPLE - 1)), batch_size=10), "did not come")


@pytest.mark.parametrize("mode", MODES)
def test_a_pass_with_somebody_twice_is_refused(mode):
    training = Training(mode)
    twice = [*range(PEOPLE), 0]
    refused(training, DataLoader(Subset(Indexed(training.dataset), twice), batch_size=10), "came twice")


def test_the_training_loader_is_no_pass_over_everybody():
    training = Training()
    refused(training, training.loader, "came twice|did not come")


def test_a_model_in_eval_mode_is_refused():
    training = Training()
    training.module.eval()
    with pytest.raises(ration.RationError, match="eval mode"):
        training.optimizer.refresh(everybody(training.dataset))


def test_refreshing_within_a_step_is_refused():
    training = Training()
    training.optimizer.draw(next(iter(training.loader))[0])
    with pytest.raises(ration.RationError, match="under way"):
        training.optimizer.refresh(everybody(training.dataset))
    assert np.isinf(training.optimizer.books.held).all()
