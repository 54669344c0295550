"""Ghost clipping refuses what its norms do not see: such gradients would be released as they are."""

import pytest
import ration
import torch
from opacus.utils.fast_gradient_clipping_utils import DPTensorFastGradientClipping
from ration.opacus import Indexed, PrivacyEngine
from small_training import CLIP, NOISE, PEOPLE, Training, people
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader


def private(model, criterion=None, kind="words", mode="ghost"):
    dataset = people(kind)
    return PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        criterion=criterion or nn.CrossEntropyLoss(),
        data_loader=DataLoader(Indexed(dataset), batch_size=PEOPLE),
        noise_multiplier=NOISE,
        max_grad_norm=CLIP,
        grad_sample_mode=mode,
    )


def refused_at_first_batch(model, match, kind="words", of=lambda x, y: (x, y), **options):
    module, optimizer, criterion, loader = private(model, kind=kind, **options)
    drawn, x, y = next(iter(loader))
    with pytest.raises(ration.RationError, match=match):
        optimizer.draw(drawn)
        inputs, targets = of(x, y)
        criterion(module(inputs), targets).backward()
        optimizer.step()


class Tied(nn.Module):
    """Words are told by the embedding that they came from; ``how`` says by which name."""

    def __init__(self, how):
        super().__init__()
        self.how, self.words, self.middle = how, nn.Embedding(20, 5), nn.Linear(5, 5)
        if how == "two owners":
            self.weight = self.words.weight

    def forward(self, words):
        hidden = self.middle(self.words(words).mean(1))
        return functional.linear(hidden, self.weight if self.how == "two owners" else self.words.weight)


def test_a_parameter_of_two_layers_is_refused():
    with pytest.raises(ration.RationError, match="belongs to two layers"):
        private(Tied("two owners"))


def test_a_parameter_that_is_used_outside_of_its_layer_is_refused():
    refused_at_first_batch(Tied("functional"), "used outside of its layer")


class PastItsHooks(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x):
        return self.layer.forward(self.layer(x))


def test_a_layer_that_is_called_past_its_hooks_is_refused():
    refused_at_first_batch(PastItsHooks(), "used outside of its layer", kind="dense")


@pytest.mark.parametrize("padding", ["circular", "reflect", "replicate"])
def test_convolutions_that_do_not_pad_with_zeros_are_refused(padding):
    model = nn.Sequential(nn.Conv1d(1, 4, 3, padding=2, padding_mode=padding), nn.Flatten(), nn.Linear(32, 3))
    with pytest.raises(ration.RationError, match=f"pads with {padding}"):
        private(model, kind="images")
    private(model, kind="images", mode="hooks")


def test_embeddings_scaled_by_frequency_are_refused():
    with pytest.raises(ration.RationError, match="by frequency"):
        private(nn.Sequential(nn.Embedding(20, 5, scale_grad_by_freq=True), nn.Flatten(), nn.Linear(35, 3)))


def test_norms_that_are_not_those_of_the_gradients_are_refused():
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    module, optimizer, criterion, loader = private(model, kind="dense")
    honest = module.NORM_SAMPLERS[nn.Linear]
    module.NORM_SAMPLERS[nn.Linear] = lambda *of: {p: 0.9 * norms for p, norms in honest(*of).items()}
    drawn, x, y = next(iter(loader))
    optimizer.draw(drawn)
    with pytest.raises(ration.RationError, match="larger than the norms"):
        criterion(module(x), y).backward()


def test_a_sum_that_is_larger_than_its_parts_can_be_is_refused():
    training = Training("ghost", batch_size=PEOPLE)
    training.backward(training.batch_of([PEOPLE - 1]))
    p = training.optimizer.params[0]
    p.grad *= 1.01
    training.optimizer._pass.written = training.optimizer._written()  # as if the second pass had given it
    with pytest.raises(ration.RationError, match="larger than the norms"):
        training.optimizer.step()


@pytest.mark.parametrize("when", ["before draw", "before backward", "before step"])
def test_parameters_unfrozen_later_are_refused(when):
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    model[0].requires_grad_(False)
    module, optimizer, criterion, loader = private(model, kind="dense")
    drawn, x, y = next(iter(loader))
    with pytest.raises(ration.RationError, match="frozen or unfrozen"):
        for moment, act in (
            ("before draw", lambda: optimizer.draw(drawn)),
            ("before backward", lambda: criterion(module(x), y).backward()),
            ("before step", optimizer.step),
        ):
            model[0].requires_grad_(model[0].weight.requires_grad or when == moment)
            act()


def drawn_loss(training, positions=(1, 2, 3)):
    batch = training.batch_of(list(positions))
    training.optimizer.draw(batch[0])
    out = training.module(batch[1])
    return out, training.criterion(out, batch[2])


@pytest.mark.parametrize(
    "term",
    [
        lambda out, loss: loss + out.pow(2).mean(),
        lambda out, loss: out.pow(2).mean() + loss,
        lambda out, loss: loss - out.pow(2).mean(),
        lambda out, loss: out.pow(2).mean() - loss,
        lambda out, loss: loss * out.pow(2).mean(),
        lambda out, loss: out.pow(2).mean() * loss,
        lambda out, loss: loss / out.pow(2).mean(),
        lambda out, loss: loss + out.pow(2).mean(1),
        lambda out, loss: loss * torch.ones(3, 1),
    ],
)
def test_terms_that_are_not_one_number_for_each_person_are_refused(term):
    with pytest.raises(ration.RationError, match="not of the criterion"):
        term(*drawn_loss(Training("ghost", batch_size=PEOPLE)))


def test_losses_of_another_batch_are_refused():
    training = Training("ghost", batch_size=PEOPLE)
    _, loss = drawn_loss(training)
    other = training.criterion(torch.randn(1, 3), torch.tensor([0]))
    with pytest.raises(ration.RationError, match="different numbers of people"):
        loss + other


def test_losses_are_added_scaled_and_shifted():
    training = Training("ghost", batch_size=PEOPLE)
    out, loss = drawn_loss(training)
    made = (2.0 - (-loss) / 2 + 3 * loss - 1) * torch.tensor(0.5) + torch.ones(3)
    assert torch.allclose(made.loss_per_sample, (1 + 3.5 * loss.loss_per_sample) / 2 + 1)
    made.backward()
    training.optimizer.step()


def test_a_loss_of_opacus_own_class_is_refused():
    training = Training("ghost", batch_size=PEOPLE)
    out, loss = drawn_loss(training)
    plain = DPTensorFastGradientClipping(loss.module, loss.optimizer, loss.loss_per_sample, "mean")
    with pytest.raises(ration.RationError, match="not of the criterion that make_private returned"):
        plain.backward()


def test_a_criterion_with_many_numbers_for_each_person_is_refused():
    model = nn.Sequential(nn.Linear(6, 1))
    refused_at_first_batch(
        model,
        "one number for each person",
        kind="dense",
        criterion=nn.MSELoss(),
        of=lambda x, y: (x, y.unsqueeze(1).float()),
    )


def test_gradients_that_come_past_the_layers_after_clipping_are_refused():
    training = Training("ghost", batch_size=PEOPLE)
    batch = training.batch_of([1, 2, 3])
    training.backward(batch)
    first = training.optimizer.params[0]
    functional.linear(batch[1], first).sum().mul(1e-3).backward()
    with pytest.raises(ration.RationError, match="does not clip"):
        training.optimizer.step()
