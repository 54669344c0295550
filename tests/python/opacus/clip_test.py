"""How far gradients are scaled down."""

import pytest
import torch
from ration.opacus.clip import clip_factors


def test_large_gradients_come_down_to_their_limit_and_small_ones_stay():
    norms = torch.tensor([4.0, 0.5, 4.0], dtype=torch.float64)
    limits = torch.tensor([1.0, 1.0, 0.0], dtype=torch.float64)
    assert clip_factors(norms, limits).tolist() == pytest.approx([0.25, 1, 0], abs=1e-6)


def test_gradients_that_are_not_finite_contribute_nothing():
    norms = torch.tensor([torch.nan, torch.inf], dtype=torch.float64)
    assert clip_factors(norms, torch.ones(2, dtype=torch.float64)).tolist() == [0, 0]
