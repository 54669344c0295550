"""Norms of single layers are never below the truth, also where Opacus' own lose it to cancellation."""

import pytest
import torch
from opacus.grad_sample.linear import compute_linear_norm_sample
from ration.opacus.ghost_norms import _embedding_norms, linear_norms
from small_training import PEOPLE, MeanOverWords, Training
from torch import nn
from torch.utils.data import TensorDataset


def true_norms(activations, backprops):
    flat = [one.double().reshape(len(one), -1, one.shape[-1]) for one in (backprops, activations)]
    weight = torch.einsum("nti,ntj->nij", *flat)
    return weight.flatten(1).norm(dim=1), flat[0].sum(1).norm(dim=1)


@pytest.mark.parametrize("shape", [(), (3,), (40,), (2, 5)])
@pytest.mark.parametrize("widths", [(4, 3), (70, 60)])
def test_norms_of_linear_layers_are_never_below_the_truth_and_close(shape, widths):
    torch.manual_seed(0)
    layer = nn.Linear(*widths)
    activations, backprops = torch.randn(5, *shape, widths[0]), torch.randn(5, *shape, widths[1])
    norms = linear_norms(layer, [activations], backprops)
    for found, true in zip((norms[layer.weight], norms[layer.bias]), true_norms(activations, backprops)):
        assert (found >= true * (1 - 1e-14)).all()
        assert found == pytest.approx(true, rel=1e-4)


def test_terms_that_cancel_do_not_hide_a_gradient():
    torch.manual_seed(0)
    layer = nn.Linear(100, 100)
    once, small = torch.randn(1, 1, 100), 1e-4 * torch.randn(1, 1, 100)
    activations = 100 * torch.cat([once, once + small], dim=1)
    backprops = 100 * torch.cat([once, -once], dim=1)
    true = true_norms(activations, backprops)[0]
    assert compute_linear_norm_sample(layer, [activations], backprops)[layer.weight] < 0.9 * true
    found = linear_norms(layer, [activations], backprops)[layer.weight]
    assert true * (1 - 1e-14) <= found <= true * 1.05


def test_terms_that_cancel_in_float64_do_not_hide_a_gradient_either():
    layer = nn.Linear(3, 3, dtype=torch.float64)
    activations, backprops = torch.zeros(2, 1, 2, 3, dtype=torch.float64)
    activations[0, :, 0] = 1
    backprops[0, :, 0] = torch.tensor([1, -1 - 2.0**-30], dtype=torch.float64)
    # Their squares differ by 2^-60, which is lost beside 1.
    assert linear_norms(layer, [activations], backprops)[layer.weight] >= 2.0**-30


class Large(nn.Module):
    """Each pair of positions is nearly opposite, and large: what is left of their sum is rounding."""

    def forward(self, x):
        return torch.cat([x, -x * (1 + 2.0**-20)], dim=1)


@pytest.mark.parametrize("width", [2, 40])
def test_gradients_that_are_rounding_alone_stay_within_the_bound(width):
    torch.manual_seed(0)
    positions = 1e5 * torch.randn(PEOPLE, 16, width)
    dataset = TensorDataset(positions, torch.randint(0, 3, (PEOPLE,)))
    model = nn.Sequential(Large(), nn.Linear(width, 3), MeanOverWords())
    training = Training("ghost", batch_size=PEOPLE, dataset=dataset, model=model, max_grad_norm=1e-3)
    for person in range(PEOPLE):
        assert training.contribution([person]).norm() <= 1e-3


def test_norms_of_embeddings_allow_for_rounding_too():
    torch.manual_seed(0)
    layer = nn.Embedding(1, 4)
    g = 1e5 * torch.randn(1, 16, 4)
    backprops, words = torch.cat([g, -g], dim=1), torch.zeros(1, 32, dtype=torch.long)
    layer(words).backward(backprops)
    assert layer.weight.grad.norm() <= _embedding_norms(layer, [words], backprops)[layer.weight]
