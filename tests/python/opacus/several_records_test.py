"""A person with several records: drawn, clipped, charged and left out as one, for the sum of their gradients."""

import numpy as np
import pytest
import ration
import torch
from ration.opacus import Indexed
from ration.opacus.rows import Rows
from small_training import DELTA, MODES, NOISE, PEOPLE, Training, everybody, network, people
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

TWICE = [f"P{record // 2}" for record in range(PEOPLE)]
MIXED = ["A"] * 5 + ["B"] + ["C"] * 2 + [f"D{record % 20}" for record in range(PEOPLE - 8)]  # in no order
SMALL_CLIP = 0.3  # below almost every gradient's norm


def reference(training, person, clip):
    """What a person adds: the sum of their records' gradients by autograd alone, clipped once."""
    model = network(training.kind)
    total = None
    for _, inputs, target in training.items.__getitems__([person]):
        loss = nn.functional.cross_entropy(model(inputs.unsqueeze(0)), target.unsqueeze(0))
        grads = torch.autograd.grad(loss, list(model.parameters()))
        flat = torch.cat([grad.double().flatten() for grad in grads])
        total = flat if total is None else total + flat
    return total * min(1.0, clip / float(total.norm()))


@pytest.mark.parametrize("kind", ["dense", "images", "words"])
@pytest.mark.parametrize("ids", [TWICE, MIXED], ids=["twice", "mixed"])
@pytest.mark.parametrize("mode", MODES)
def test_a_person_is_clipped_once_and_adds_what_a_naive_reference_does(mode, ids, kind):
    training = Training(mode, kind=kind, ids=ids, batch_size=len(set(ids)), max_grad_norm=SMALL_CLIP)
    total = 0
    for person in range(len(set(ids))):
        added, expected = training.contribution([person]), reference(training, person, SMALL_CLIP)
        assert added.norm() <= SMALL_CLIP
        assert added == pytest.approx(expected, rel=1e-3, abs=1e-5)
        total = total + expected
    assert training.contribution(list(range(len(set(ids))))) == pytest.approx(total, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_a_canary_in_two_records_adds_no_more_than_in_one(mode):
    inputs, labels = people().tensors
    copied = TensorDataset(inputs[[47, 47, 3]], labels[[47, 47, 3]])
    apart = Training(mode, dataset=copied, batch_size=3, max_grad_norm=SMALL_CLIP)
    assert apart.contribution([0, 1]).norm() > 1.9 * SMALL_CLIP  # two people, who each have a bound of their own
    together = Training(mode, dataset=copied, ids=["canary", "canary", "other"], batch_size=2, max_grad_norm=SMALL_CLIP)
    assert 0.99 * SMALL_CLIP < together.contribution([0]).norm() <= SMALL_CLIP
    together.epochs(3)
    twice = ration.compose(ration.Gaussian(NOISE, steps=5), delta=DELTA).epsilon.upper  # contribution() pays for its own
    spent = together.optimizer.accounts.epsilon(DELTA).upper
    assert together.optimizer.accounts.steps == 4 and len(spent) == 2 and (spent < twice).all()
    assert spent[0] == pytest.approx(ration.compose(ration.Gaussian(NOISE, steps=4), delta=DELTA).epsilon.upper)


@pytest.mark.parametrize("mode", MODES)
def test_records_that_cancel_stay_within_the_bound(mode):
    """Two records whose gradients are large and nearly opposite: what is left of their sum is rounding."""
    torch.manual_seed(0)
    inputs = 1e5 * torch.randn(8, 6)
    dataset = TensorDataset(torch.cat([inputs, -inputs * (1 + 2.0**-20)]), torch.zeros(16, dtype=torch.long))
    model = nn.Linear(6, 3, bias=False)
    nn.init.zeros_(model.weight)
    training = Training(
        mode, dataset=dataset, ids=[*range(8), *range(8)], batch_size=8, model=model, max_grad_norm=1e-3
    )
    for person in range(8):
        assert training.contribution([person]).norm() <= 1e-3


@pytest.mark.parametrize("kind", ["dense", "images", "words", "recurrent"])
@pytest.mark.parametrize("mode", MODES)
def test_one_record_each_is_what_it_was(mode, kind):
    alone, named = Training(mode, kind=kind), Training(mode, kind=kind, ids=[f"P{i}" for i in range(PEOPLE)])
    for training, ids in ((alone, None), (named, named.items.ids)):
        training.optimizer.refresh(everybody(training.dataset, ids))
        training.epochs(2)
    assert torch.equal(alone.parameters, named.parameters)
    assert (alone.optimizer.bounds == named.optimizer.bounds).all()
    spent = [one.optimizer.accounts.epsilon(DELTA).upper for one in (alone, named)]
    assert (spent[0] == spent[1]).all()


@pytest.mark.parametrize("mode", MODES)
def test_bounds_are_norms_of_sums(mode):
    training = Training(mode, ids=MIXED, batch_size=4, max_grad_norm=100.0)
    training.optimizer.refresh(everybody(training.dataset, MIXED))
    expected = [float(reference(training, person, 1e9).norm()) for person in range(training.optimizer.books.people)]
    assert training.optimizer.bounds == pytest.approx(expected, rel=1e-4)
    assert (training.optimizer.bounds >= np.array(expected) * (1 - 1e-6)).all()


@pytest.mark.parametrize("mode", MODES)
def test_people_are_drawn_with_all_their_records_and_the_divisor_counts_people(mode):
    training = Training(mode, ids=MIXED, batch_size=4)
    count = len(set(MIXED))
    assert training.optimizer.books.people == count == 23
    assert training.optimizer.expected_batch_size == int(count / len(training.loader))
    seen = []
    torch.manual_seed(11)
    for batch in training.loader:
        found, times = np.unique(batch[0].numpy(), return_counts=True)
        assert (times == training.items.records[found]).all()
        seen.append(len(found))
        training.step(batch)
    assert len(set(seen)) > 1 and training.optimizer.accounts.steps == len(seen)


@pytest.mark.parametrize("mode", MODES)
def test_virtual_steps_keep_a_persons_records_together(mode):
    whole, split = (Training(mode, ids=MIXED, batch_size=8, max_grad_norm=SMALL_CLIP) for _ in range(2))
    whole.epochs(3)
    split.epochs(3, physical=2)
    assert (whole.parameters - split.parameters).abs().max() <= 1e-6
    assert whole.optimizer.accounts.steps == split.optimizer.accounts.steps


@pytest.mark.parametrize("mode", MODES)
def test_who_is_left_out_adds_nothing_with_any_record(mode):
    training = Training(mode, ids=TWICE, batch_size=24, filter={"steps": [1] + [1000] * 23})
    training.epochs()
    assert (training.contribution([0]) == 0).all()
    assert training.contribution([1]).norm() > 0


def test_a_record_that_is_not_finite_takes_its_owner_out():
    inputs, labels = people().tensors
    inputs = inputs.clone()
    inputs[3] = torch.nan
    training = Training(dataset=TensorDataset(inputs, labels), ids=TWICE, batch_size=24)
    assert (training.contribution([1]) == 0).all()  # records 2 and 3
    assert torch.isfinite(training.contribution(list(range(24)))).all()


def test_what_cannot_be_accounted_for_is_refused():
    with pytest.raises(ration.RationError, match="people are 3 ids and the data set has 48 items"):
        Indexed(people(), people=["a", "b", "c"])
    with pytest.raises(TypeError, match="at position 1"):
        Indexed(people(), people=["a", 1.5] * 24)
    with pytest.raises(ration.RationError, match="RNNLinear has norms of single records"):
        Training("ghost", kind="recurrent", ids=TWICE)
    training = Training(ids=TWICE, batch_size=24)
    for drawn in ([0], [0, 0, 0], [0, 1], [0, 0, 1]):
        with pytest.raises(ration.RationError, match="other than all records of a person"):
            training.optimizer.draw(torch.tensor(drawn))
    assert training.optimizer.accounts.steps == 0
    one_by_one = DataLoader(Indexed(training.dataset, people=TWICE), batch_size=None)
    with pytest.raises(ration.RationError):
        training.optimizer.refresh(one_by_one)


def test_recurrent_layers_work_with_hooks():
    training = Training(kind="recurrent", ids=TWICE, batch_size=24, max_grad_norm=SMALL_CLIP)
    for person in range(24):
        assert 0 < training.contribution([person]).norm() <= SMALL_CLIP


def test_rows_find_their_owners_in_any_order():
    rows = Rows.of([5, 2, 5, 9], 10, np.array([1, 1, 1, 1, 1, 2, 1, 1, 1, 1]))
    assert rows.people.tolist() == [5, 2, 9] and rows.owner.tolist() == [0, 1, 0, 2]
    values = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
    assert rows.summed(values).flatten().tolist() == [4.0, 2.0, 4.0]
    assert rows.together(values.unsqueeze(1)).squeeze(2).tolist() == [[1.0, 3.0], [2.0, 0.0], [4.0, 0.0]]
    assert rows.spread(torch.tensor([7, 8, 9])).tolist() == [7, 8, 7, 9]
