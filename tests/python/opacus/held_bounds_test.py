"""Everybody is charged for their held bound at every step, drawn or not, and clipped to it."""

import numpy as np
import pytest
import ration
import torch
from small_training import CLIP, DELTA, MODES, NOISE, PEOPLE, TIGHT, Training, everybody, network

KINDS = ["dense", "images", "words", "recurrent"]


def norms_one_by_one(training):
    """Everybody's gradient norm in float64 by plain autograd, without Opacus."""
    fresh = network(training.kind).double()
    fresh.load_state_dict(training.module._module.state_dict())
    found = []
    for x, y in training.dataset:
        x = x.double() if x.is_floating_point() else x
        fresh.zero_grad()
        torch.nn.functional.cross_entropy(fresh(x.unsqueeze(0)), y.unsqueeze(0)).backward()
        found.append(torch.cat([p.grad.flatten() for p in fresh.parameters()]).norm().item())
    return np.array(found)


def trained(mode, kind="dense", epochs=2, **options):
    training = Training(mode, kind=kind, **options)
    for _ in range(epochs):
        training.optimizer.refresh(everybody(training.dataset))
        training.epochs()
    return training


def filter_of_our_own(rate, kind="rdp", **budget):
    made = {"rdp": ration.RenyiFilter, "tight": ration.TightFilter}[kind]
    return made(PEOPLE, noise=NOISE, clip=CLIP, rate=rate, **budget)


def recomputed(logged, rate, filtered):
    """Accounts from a log of bounds, by a filter of our own."""
    accounts = ration.Accounts(PEOPLE, noise=NOISE, clip=CLIP, rate=rate)
    own = filter_of_our_own(rate, **filtered) if filtered else None
    table = []
    for bounds in logged:
        admitted = own.admit(bounds) if own else np.ones(PEOPLE, bool)
        table.append(np.where(admitted, bounds, 0.0))
    accounts.record(np.array(table))
    return accounts.epsilon(DELTA).upper


@pytest.mark.parametrize("filtered", [None, {"steps": 6}, TIGHT])
@pytest.mark.parametrize("physical", [None, 2])
@pytest.mark.parametrize("mode", MODES)
def test_accounts_equal_those_recomputed_from_logged_bounds(mode, physical, filtered):
    training = Training(mode, filter=filtered)
    logged = []
    for _ in range(3):
        training.optimizer.refresh(everybody(training.dataset))
        logged += [training.optimizer.bounds] * len(training.loader)
        training.epochs(physical=physical)
    accounts = training.optimizer.accounts.epsilon(DELTA).upper
    assert accounts == pytest.approx(recomputed(logged, training.optimizer.rate, filtered), rel=1e-6)
    assert training.optimizer.accounts.steps == len(logged)
    assert accounts.min() < 0.8 * accounts.max()  # people differ, or this test would show nothing


@pytest.mark.parametrize("mode", MODES)
def test_who_was_never_drawn_pays_like_everybody(mode):
    training = Training(mode, batch_size=1)
    drawn = set()
    for batch in training.loader:
        drawn |= set(batch[0].tolist())
        training.step(batch)
    assert 0 < len(drawn) < PEOPLE
    spent = training.optimizer.accounts.epsilon(DELTA).upper
    assert spent.min() == spent.max()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_a_held_bound_is_the_norm_rounded_up_or_the_clip_bound(mode, kind):
    training = trained(mode, kind)
    training.optimizer.refresh(everybody(training.dataset))
    true = np.minimum(norms_one_by_one(training), CLIP)
    assert (training.optimizer.bounds >= true * (1 - 1e-9)).all()
    assert training.optimizer.bounds == pytest.approx(true, rel=5e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_no_clipped_gradient_exceeds_its_owners_bound(mode, kind):
    training = trained(mode, kind, batch_size=PEOPLE)
    held = training.optimizer.bounds
    exceeded = norms_one_by_one(training) > held  # training went on since the norms were measured
    assert exceeded.sum() > 2
    for person in range(PEOPLE):
        assert training.contribution([person]).norm() <= held[person]


def test_no_clipped_gradient_exceeds_its_owners_bound_in_mixed_precision():
    training = Training(batch_size=PEOPLE)
    for person in range(PEOPLE):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert training.contribution([person]).norm() <= CLIP


@pytest.mark.parametrize("mode", MODES)
def test_everybody_is_charged_once_and_before_anything_is_released(mode):
    training = Training(mode, batch_size=PEOPLE)
    before = training.parameters
    for part in range(3):
        training.optimizer.signal_skip_step(part < 2)
        training.backward(training.batch_of(list(range(16 * part, 16 * part + 16))))
        assert training.optimizer.accounts.steps == len(training.engine.accountant) == 1
        assert torch.equal(training.parameters, before)
        training.optimizer.step()
        training.optimizer.zero_grad()
    assert (training.parameters != before).any()


@pytest.mark.parametrize("mode", MODES)
def test_a_batch_contributes_the_sum_of_its_people(mode):
    training = trained(mode, batch_size=PEOPLE)
    one_by_one = sum(training.contribution([person]) for person in range(PEOPLE))
    assert training.contribution(list(range(PEOPLE))) == pytest.approx(one_by_one, abs=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_before_the_first_refresh_everybodys_bound_is_the_clip_bound(mode):
    assert (Training(mode).optimizer.bounds == CLIP).all()


@pytest.mark.parametrize("mode", MODES)
def test_noise_and_clip_of_each_step_are_what_is_charged(mode):
    training = Training(mode)
    accounts = ration.Accounts(PEOPLE, noise=NOISE, clip=CLIP, rate=training.optimizer.rate)
    for number, batch in enumerate(training.loader):
        training.optimizer.noise_multiplier = NOISE * (1 + number)
        training.optimizer.max_grad_norm = CLIP / (1 + number)
        training.step(batch)
        accounts.record(np.full(PEOPLE, CLIP), noise=NOISE * (1 + number))
    spent = training.optimizer.accounts.epsilon(DELTA).upper
    assert spent == pytest.approx(accounts.epsilon(DELTA).upper, rel=1e-12)
