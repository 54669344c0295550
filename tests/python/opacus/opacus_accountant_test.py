"""The accountant answers in Opacus' interface with the certified value, in our engine and in Opacus' own."""

import copy

import opacus
import pytest
import ration
import torch
from opacus.accountants import create_accountant
from ration.opacus import Accountant, Indexed, PrivacyEngine
from ration.opacus.poisson import drawn_rate
from small_training import DELTA, NOISE, Training, people


def test_opacus_makes_it_by_name():
    assert isinstance(create_accountant("ration"), Accountant)
    assert Accountant.mechanism() == "ration"


def test_opacus_own_engine_answers_with_the_certified_value():
    training = Training(plain=True, batch_size=5, engine=opacus.PrivacyEngine(accountant="ration"))
    training.epochs(2)
    plan = ration.Gaussian(NOISE, rate=drawn_rate(0.1), steps=20)
    assert training.engine.get_epsilon(DELTA) == ration.compose(plan, delta=DELTA).epsilon.upper


def test_it_is_tighter_than_opacus_accountants_and_not_below_the_truth():
    ours, rdp, prv = (create_accountant(name) for name in ("ration", "rdp", "prv"))
    for accountant in (ours, rdp, prv):
        accountant.history = [(1.0, 0.01, 1000)]
    exact = 1.82823666651658  # by mpmath in 40 digits
    assert exact <= ours.get_epsilon(DELTA) <= exact * (1 + 1e-11)
    assert ours.get_epsilon(DELTA) < min(rdp.get_epsilon(DELTA), prv.get_epsilon(DELTA))


def test_steps_of_different_noise_are_composed():
    accountant = Accountant()
    for noise, steps in ((2.0, 5), (3.0, 4), (2.0, 1)):
        for _ in range(steps):
            accountant.step(noise_multiplier=noise, sample_rate=0.1)
    assert accountant.history == [(2.0, 0.1, 5), (3.0, 0.1, 4), (2.0, 0.1, 1)]
    assert len(accountant) == 10
    plan = [ration.Gaussian(2.0, 0.1, 6), ration.Gaussian(3.0, 0.1, 4)]
    assert accountant.get_epsilon(DELTA) == pytest.approx(ration.compose(plan, delta=DELTA).epsilon.upper, rel=1e-9)


def test_its_state_goes_on_where_it_was():
    accountant, other = Accountant(), Accountant()
    accountant.step(noise_multiplier=2.0, sample_rate=0.1)
    other.load_state_dict(accountant.state_dict())
    assert other.get_epsilon(DELTA) == accountant.get_epsilon(DELTA) > 0
    with pytest.raises(ValueError, match="rdp"):
        other.load_state_dict(create_accountant("rdp").state_dict())


def test_copies_do_not_pass_for_what_they_were_copied_from():
    accountant = Accountant()
    accountant.step(noise_multiplier=2.0, sample_rate=0.1)
    twin = copy.deepcopy(accountant)
    accountant.step(noise_multiplier=1.0, sample_rate=0.1)
    for _ in range(3):
        twin.step(noise_multiplier=9.0, sample_rate=0.1)
    with pytest.raises(ration.RationError, match="would be forgotten"):
        accountant.load_state_dict(twin.state_dict())


def test_a_state_that_does_not_say_what_it_counted_forgets_nothing():
    accountant = Accountant()
    accountant.load_state_dict({"mechanism": "ration", "history": [(2.0, 0.1, 3)]})
    with pytest.raises(ration.RationError, match="would be forgotten"):
        accountant.load_state_dict({"mechanism": "ration", "history": [(2.0, 0.1, 1)]})
    assert len(accountant) == 3


def test_without_steps_nothing_is_spent():
    assert Accountant().get_epsilon(DELTA) == 0.0


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.5])
def test_rates_that_are_no_probabilities_are_refused(rate):
    with pytest.raises(ration.RationError, match="sampling rate"):
        Accountant().step(noise_multiplier=1.0, sample_rate=rate)


@pytest.mark.parametrize("rate", [1 / 8, 0.1, 1 / 3, 0.7, 1 / 200, 1.0])
def test_the_rate_accounted_at_is_never_below_the_one_that_the_sampler_draws_with(rate):
    uniforms = torch.arange(2**24, dtype=torch.float32) / 2**24  # all that torch.rand can give
    drawn = (uniforms < rate).double().mean().item()
    assert max(drawn, rate) <= drawn_rate(rate) <= drawn + 2.0**-24


def test_noise_is_found_for_a_target():
    model = torch.nn.Linear(6, 3)
    engine = PrivacyEngine()
    loader = torch.utils.data.DataLoader(Indexed(people()), batch_size=6)
    _, optimizer, loader = engine.make_private_with_epsilon(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=loader,
        target_epsilon=2.0,
        target_delta=DELTA,
        epochs=3,
        max_grad_norm=1.0,
    )
    for _ in range(3):
        for drawn, x, y in loader:
            optimizer.draw(drawn)
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
    assert 1.999 < engine.get_epsilon(DELTA) <= 2.0
