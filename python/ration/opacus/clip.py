"""How far a gradient is scaled down, so that no contribution exceeds its limit, rounding included."""

from __future__ import annotations

from typing import Sequence

import torch

# Norms are taken in float64. What is left is the rounding of the factor and of its products, 2^-24 each in float32
# (ghost clipping: of a second backward pass). Small enough to be no other training than Opacus': it is 5e-7.
_MARGIN = 2.0**-21


def norms_of(samples: Sequence[torch.Tensor]) -> torch.Tensor:
    """Each person's norm over all parameters, from per-sample gradients; in float64."""
    device = samples[0].device
    parts = [_norms(one).to(device) for one in samples]
    return torch.linalg.vector_norm(torch.stack(parts), dim=0)


def _norms(sample: torch.Tensor) -> torch.Tensor:
    rows = sample.flatten(1) if sample.dim() > 1 else sample.unsqueeze(1)
    return torch.linalg.vector_norm(rows, dim=1, dtype=torch.float64)


def clip_factors(norms: torch.Tensor, limits: torch.Tensor) -> torch.Tensor:
    """What each gradient is multiplied by. As in Opacus, norms count as 1e-6 more than they are.

    A gradient that is not finite contributes nothing; its owner has paid all the same.
    """
    factors = (limits * (1 - _MARGIN) / (norms + 1e-6)).clamp(max=1.0)
    return torch.where(torch.isfinite(norms), factors, torch.zeros_like(factors))
