"""What cannot be accounted for is refused, with the reason, before anything is charged or changed."""

import opacus
import pytest
import ration
import torch
from opacus.data_loader import DPDataLoader
from opacus.utils.batch_memory_manager import BatchMemoryManager
from ration.opacus import Accountant, Indexed, PrivacyEngine
from small_training import CLIP, DELTA, MODES, NOISE, PEOPLE, TIGHT, Training, network, people
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


def make_private(loader=None, model=None, engine=None, **options):
    model = model or network()
    return (engine or PrivacyEngine()).make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=DataLoader(Indexed(people()), batch_size=6) if loader is None else loader,
        **{"noise_multiplier": NOISE, "max_grad_norm": CLIP, **options},
    )


def refused(match, **options):
    model = network()
    with pytest.raises(ration.RationError, match=match):
        make_private(model=model, **options)
    make_private(model=model)  # the model is as it was


def test_a_loader_that_is_not_poisson_is_refused_with_the_reason():
    shuffled = DataLoader(Indexed(people()), batch_size=6, shuffle=True)
    refused("does not draw Poisson samples", loader=shuffled, poisson_sampling=False)


def test_a_poisson_loader_of_ones_own_is_accounted_at_its_own_rate():
    loader = DPDataLoader(Indexed(people()), sample_rate=0.3)
    _, optimizer, _ = make_private(loader=loader, poisson_sampling=False)
    assert 0.3 <= optimizer.rate < 0.3 + 2.0**-24


class Stream(IterableDataset):
    def __iter__(self):
        return iter(people())


def test_people_without_positions_are_refused():
    refused("IterableDataset", loader=DataLoader(Stream(), batch_size=6))


def test_another_number_of_people_is_refused():
    refused("people is 47 and the loader draws from 48", people=PEOPLE - 1)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"clipping": "per_layer", "max_grad_norm": [1.0] * 4}, "not flat"),
        ({"clipping": "adaptive"}, "not flat"),
        ({"grad_sample_mode": "ew"}, "give one of hooks, functorch, ghost"),
        ({"grad_sample_mode": "no_op"}, "give one of hooks, functorch, ghost"),
        ({"rand_on_empty": True}, "rand_on_empty"),
        ({"noise_multiplier": 0.0}, "noise is 0"),
        ({"filter": {"epsilon": -1.0, "delta": DELTA}}, "epsilon"),
        ({"filter": {"kind": "gdp", "epsilon": 1.0, "delta": DELTA}}, "kind is 'gdp' .* give rdp or tight"),
    ],
)
def test_what_is_not_accounted_for_is_refused(options, match):
    refused(match, **options)


@pytest.mark.parametrize(
    ("criterion", "match"),
    [
        (nn.CrossEntropyLoss(weight=torch.ones(3)), "class weights"),
        (nn.NLLLoss(weight=torch.ones(3)), "class weights"),
        (nn.CrossEntropyLoss(reduction="sum"), "loss_reduction is mean and the criterion's is sum"),
        (nn.CrossEntropyLoss(reduction="none"), "loss_reduction is mean and the criterion's is none"),
    ],
)
def test_losses_in_which_people_depend_on_each_other_are_refused(criterion, match):
    refused(match, criterion=criterion)


def test_weights_are_fine_where_nothing_is_divided_by_them():
    make_private(criterion=nn.CrossEntropyLoss(weight=torch.ones(3), reduction="sum"), loss_reduction="sum")
    make_private(criterion=nn.KLDivLoss(reduction="batchmean"))
    make_private(loss_reduction="sum")
    make_private(criterion=nn.BCEWithLogitsLoss(weight=torch.ones(3), pos_weight=torch.ones(3)))
    make_private(criterion=nn.CrossEntropyLoss(weight=torch.ones(3)), grad_sample_mode="ghost")


def test_labels_that_a_mean_leaves_out_are_refused_in_training():
    training = rate_one()
    batch = training.batch_of([1, 2, 3])
    batch[2][1] = -100
    with pytest.raises(ration.RationError, match="leaves labels out"):
        training.backward(batch)
    with torch.no_grad():  # evaluation is nobody's gradient
        training.criterion(training.module(batch[1]), target=batch[2])
    training.optimizer.abandon()
    training.criterion.reduction = "sum"
    with pytest.raises(ration.RationError, match="loss_reduction is mean and the criterion's is sum"):
        training.backward(training.batch_of([1, 2, 3]))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_coarse_coins_are_refused(dtype):
    training = Training()
    torch.set_default_dtype(dtype)
    try:
        with pytest.raises(ration.RationError, match="coins are too coarse"):
            next(iter(training.loader))
        with pytest.raises(ration.RationError, match="coins are too coarse"):
            Accountant().get_optimizer_hook_fn(0.1)
    finally:
        torch.set_default_dtype(torch.float32)


def test_parameters_in_half_precision_are_refused():
    with pytest.raises(ration.RationError, match="less than 32 bits"):
        make_private(model=network().to(torch.bfloat16))


@pytest.mark.parametrize("mode", MODES)
def test_embeddings_that_change_in_the_forward_pass_are_refused(mode):
    with pytest.raises(ration.RationError, match="max_norm"):
        make_private(model=nn.Sequential(nn.Embedding(20, 5, max_norm=1.0)), grad_sample_mode=mode)


def test_a_second_training_with_one_engine_is_refused():
    engine = PrivacyEngine()
    make_private(engine=engine)
    with pytest.raises(ration.RationError, match="make a new one"):
        make_private(engine=engine)


def test_an_engine_with_steps_of_before_is_refused():
    engine = PrivacyEngine()
    engine.accountant.step(noise_multiplier=1.0, sample_rate=0.1)
    with pytest.raises(ration.RationError, match="accounts know nothing of"):
        make_private(engine=engine)


def rate_one(mode="hooks"):
    return Training(mode, batch_size=PEOPLE)


@pytest.mark.parametrize(
    ("drawn", "match"),
    [([1, 2, 1], "twice"), ([0, PEOPLE], "outside"), ([-1], "outside"), ([0.5], "whole numbers"), (3, "whole numbers")],
)
def test_positions_that_are_nobodys_or_anybodys_twice_are_refused(drawn, match):
    training = rate_one()
    with pytest.raises(ration.RationError, match=match):
        training.optimizer.draw(drawn)
    assert training.optimizer.accounts.steps == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_person_in_two_batches_of_one_step_is_refused(mode):
    training = rate_one(mode)
    training.optimizer.signal_skip_step(True)
    training.step(training.batch_of([1, 2]))
    with pytest.raises(ration.RationError, match="came before"):
        training.optimizer.draw([2, 3])


def test_a_forgotten_draw_is_refused():
    training = rate_one()
    batch = training.batch_of([1, 2])
    training.criterion(training.module(batch[1]), batch[2]).backward()
    with pytest.raises(ration.RationError, match="call draw"):
        training.optimizer.step()


def test_a_forgotten_draw_is_refused_by_ghost_clipping_at_backward():
    training = rate_one("ghost")
    batch = training.batch_of([1, 2])
    with pytest.raises(ration.RationError, match="call draw"):
        training.criterion(training.module(batch[1]), batch[2]).backward()


@pytest.mark.parametrize("mode", MODES)
def test_a_draw_of_another_batch_is_refused(mode):
    training = rate_one(mode)
    batch = training.batch_of([1, 2, 3])
    with pytest.raises(ration.RationError, match="another batch"):
        training.step((batch[0][:2], *batch[1:]))


def test_ghost_clipping_refuses_gradients_that_were_not_clipped():
    training = rate_one("ghost")
    batch = training.batch_of([1, 2, 3])
    training.optimizer.draw(batch[0])
    nn.CrossEntropyLoss()(training.module(batch[1]), batch[2]).backward()
    with pytest.raises(ration.RationError, match="nothing was clipped"):
        training.optimizer.step()


def test_ghost_clipping_refuses_gradients_that_came_after_clipping():
    training = rate_one("ghost")
    batch = training.batch_of([1, 2, 3])
    training.backward(batch)
    nn.CrossEntropyLoss()(training.module(batch[1]), batch[2]).backward()
    with pytest.raises(ration.RationError, match="does not clip"):
        training.optimizer.step()


def test_ghost_clipping_refuses_half_precision():
    training = rate_one("ghost")
    with torch.autocast("cpu", dtype=torch.bfloat16), pytest.raises(ration.RationError, match="half precision"):
        training.backward(training.batch_of([1, 2, 3]))


@pytest.fixture(params=["high", "medium"])
def low_precision(request):
    torch.set_float32_matmul_precision(request.param)
    yield request.param
    torch.set_float32_matmul_precision("highest")


def test_ghost_clipping_refuses_products_of_low_precision(low_precision):
    training = rate_one("ghost")
    with pytest.raises(ration.RationError, match="precision"):
        training.backward(training.batch_of([1, 2, 3]))


def test_per_sample_gradients_are_clipped_in_full_precision_whatever_the_caller_allows(low_precision, monkeypatch):
    training = rate_one()
    training.backward(training.batch_of([1, 2, 3]))
    seen, einsum = [], torch.einsum
    monkeypatch.setattr(
        torch, "einsum", lambda *of: seen.append(torch.get_float32_matmul_precision()) or einsum(*of)
    )
    training.optimizer.step()
    assert set(seen) == {"highest"}
    assert torch.get_float32_matmul_precision() == low_precision


def test_less_noise_than_the_accounts_were_made_for_is_refused_under_sampling():
    training = Training()
    training.optimizer.noise_multiplier = NOISE / 2
    before = training.parameters
    with pytest.raises(ration.RationError, match="noise"):
        training.epochs()
    assert torch.equal(training.parameters, before)


def test_arithmetic_on_a_ghost_loss_does_not_lose_the_bounds():
    training = rate_one("ghost")
    batch = training.batch_of([PEOPLE - 1])
    training.optimizer.signal_skip_step(True)
    training.optimizer.draw(batch[0])
    (1000 * training.criterion(training.module(batch[1]), batch[2])).backward()
    training.optimizer.step()
    assert 0.99 * CLIP < torch.cat([p.summed_grad.double().flatten() for p in training.optimizer.params]).norm() <= CLIP


@pytest.mark.parametrize("name", ["noise_multiplier", "max_grad_norm"])
def test_noise_that_changes_within_a_step_is_refused(name):
    training = rate_one()
    training.backward(training.batch_of([1, 2]))
    setattr(training.optimizer, name, 0.7)
    with pytest.raises(ration.RationError, match="changed within a step"):
        training.optimizer.step()


def test_batches_of_another_loader_are_refused():
    training = Training()
    with pytest.raises(ration.RationError, match="loop over that one"):
        training.step(training.batch_of([1, 2]))


def test_a_skipped_batch_is_refused():
    training = Training()
    torch.manual_seed(4)
    batches = iter(training.loader)
    next(batches)
    with pytest.raises(ration.RationError, match="in this order"):
        training.step(next(batches))


def test_a_part_of_a_sample_is_refused():
    training = Training(batch_size=24)
    torch.manual_seed(4)
    with pytest.raises(ration.RationError, match="part of the sample"):
        training.step([one[:2] for one in next(iter(training.loader))])


@pytest.mark.parametrize(("name", "value"), [("sample_rate", 0.9), ("num_samples", PEOPLE // 2)])
@pytest.mark.parametrize("when", ["before", "within"])
def test_a_sampler_that_is_changed_later_is_refused(name, value, when):
    training = Training()
    batches = iter(training.loader)
    if when == "within":
        training.step(next(batches))
    setattr(training.loader.batch_sampler, name, value)
    with pytest.raises(ration.RationError, match="sampler was changed"):
        next(batches if when == "within" else iter(training.loader))


@pytest.mark.parametrize("mode", MODES)
def test_people_in_another_order_are_refused(mode):
    training = Training(mode, batch_size=24)
    torch.manual_seed(4)
    drawn, *batch = next(iter(training.loader))
    with pytest.raises(ration.RationError, match="in this order"):
        training.step((drawn.flip(0), *batch))


def test_samples_that_no_step_was_made_from_are_refused_across_loops():
    training = Training()
    next(iter(training.loader))
    with pytest.raises(ration.RationError, match="no step was made from"):
        next(iter(training.loader))
    training.optimizer.abandon()
    training.step(next(iter(training.loader)))
    training.step(next(iter(training.loader)))
    assert training.optimizer.accounts.steps == 2


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "value"), [("expected_batch_size", 5), ("loss_reduction", "sum")])
def test_another_divisor_than_that_of_make_private_is_refused(mode, name, value):
    training = rate_one(mode)
    setattr(training.optimizer, name, value)
    with pytest.raises(ration.RationError, match="fixed there"):
        training.step(training.batch_of([1, 2]))


@pytest.mark.parametrize("mode", MODES)
def test_parameters_frozen_between_backward_and_step_are_refused(mode):
    training = rate_one(mode)
    training.backward(training.batch_of([1, 2]))
    before = training.parameters
    training.optimizer.params[0].requires_grad_(False)
    with pytest.raises(ration.RationError, match="frozen"):
        training.optimizer.step()
    assert torch.equal(training.parameters, before)


def test_parameters_frozen_between_steps_stay_where_they_are():
    training = rate_one()
    frozen = training.optimizer.params[0]
    training.backward(training.batch_of([1, 2]))
    training.optimizer.abandon()
    frozen.grad = torch.ones_like(frozen)
    frozen.requires_grad_(False)
    before = training.parameters
    training.step(training.batch_of([1, 2]))
    assert (training.parameters != before).any()
    assert torch.equal(training.parameters[: frozen.numel()], before[: frozen.numel()])


def leave_in_the_middle(training):
    with BatchMemoryManager(
        data_loader=training.loader, max_physical_batch_size=2, optimizer=training.optimizer
    ) as loader:
        for batch in loader:
            training.step(batch)
            if training.optimizer._is_last_step_skipped:
                return


@pytest.mark.parametrize("mode", MODES)
def test_samples_of_two_loops_never_make_one_step(mode):
    training = Training(mode)
    leave_in_the_middle(training)
    with pytest.raises(ration.RationError, match="abandon"):
        training.epochs(physical=2)


@pytest.mark.parametrize("mode", MODES)
def test_a_step_can_be_abandoned_and_stays_charged(mode):
    training = Training(mode)
    leave_in_the_middle(training)
    charged = training.optimizer.accounts.steps
    training.optimizer.abandon()
    training.epochs(physical=2)
    assert training.optimizer.accounts.steps == len(training.engine.accountant) == charged + 8


def test_errors_and_descriptions_hold_nobodys_values():
    training = Training()
    training.epochs()
    assert "held" not in repr(training.optimizer)
    assert "array" not in repr(training.optimizer)
    with pytest.raises(ration.RationError) as caught:
        training.optimizer.draw([17, 17])
    assert "17" not in str(caught.value)


def test_plain_opacus_stays_as_it_is():
    assert type(Training(plain=True).optimizer) is opacus.optimizers.DPOptimizer


def test_a_tight_filter_is_for_sampled_steps():
    with pytest.raises(ration.RationError, match="rate is 1: tight prices are for sampled steps"):
        Training(batch_size=PEOPLE, filter=TIGHT)


def test_a_filter_is_no_budget():
    made = ration.RenyiFilter(48, noise=1.0, rate=0.125, mu=1.0)
    with pytest.raises(TypeError, match="filter is a RenyiFilter: give its budget"):
        Training(filter=made)
