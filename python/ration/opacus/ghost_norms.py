"""Gradient norms of single layers without (or before) their per-sample gradients, in float64 and never below the truth.

Opacus' own are float32. For inputs with positions (sequences) they come from Gram matrices, where large terms cancel:
in float32 a norm can come out as 0 that is many times the clip bound. A norm that is too small is a gradient that is
not clipped, so here they are taken in float64, and what rounding can have taken away is added. So is what the pass that
adds up can round to in float32 where large terms cancel.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Optional

import numpy as np
import torch
from opacus.grad_sample.embedding_norm_sample import compute_embedding_norm_sample
from opacus.layers.dp_rnn import RNNLinear
from torch import nn

from .. import RationError
from .clip import norms_of
from .rows import Rows

Norms = dict[nn.Parameter, torch.Tensor]
Sampler = Callable[[nn.Module, list[torch.Tensor], torch.Tensor], Norms]
Whose = Callable[[int], Optional[Rows]]  # whose this number of rows is; None: one row is one person


def precise_samplers(hooks: Any, whose: Whose) -> dict[type[nn.Module], Sampler]:
    """For every kind of layer that Opacus knows. Recurrent layers add up over time first: they stay Opacus'."""
    samplers: dict[type[nn.Module], Callable[..., Norms]] = {
        **{kind: partial(_through, sampler) for kind, sampler in hooks.GRAD_SAMPLERS.items() if kind is not RNNLinear},
        nn.Linear: linear_norms,
        nn.Embedding: _embedding_norms,
    }
    return {kind: partial(_checked, sampler, whose) for kind, sampler in samplers.items()}


def linear_norms(
    layer: nn.Module, activations: list[torch.Tensor], backprops: torch.Tensor, rows: Optional[Rows] = None
) -> Norms:
    """The norm of sum_t g_t a_t^T, from the smaller of that matrix and the Gram matrices of g and a.

    The sum is over the positions of a record and, with ``rows``, over those of all records of a person.
    """
    g, a = _by_position(backprops, rows), _by_position(activations[0], rows)
    allowed = _allowed(g.shape[1], backprops.dtype)
    sizes = torch.linalg.vector_norm(g, dim=2)
    found: Norms = {}
    if layer.weight.requires_grad:
        by_gram = 2 * g.shape[1] ** 2 <= g.shape[2] * a.shape[2]
        size = (sizes * torch.linalg.vector_norm(a, dim=2)).sum(1)
        norms = _gram_norms(g, a, size) if by_gram else norms_of([torch.einsum("nti,ntj->nij", g, a)])
        found[layer.weight] = norms + allowed * size
    if layer.bias is not None and layer.bias.requires_grad:
        found[layer.bias] = norms_of([g.sum(1)]) + allowed * sizes.sum(1)
    return found


def _allowed(positions: int, dtype: torch.dtype) -> float:
    """How far the second backward pass can be from sum_t g_t a_t^T, as a part of sum_t |g_t||a_t|.

    It adds up in the parameters' precision, with the unit u: each of T terms is rounded at most T - 1 times on its way
    into the sum, in any order, once as a product, and its g_t and the factor on it three times in either pass: in all
    at most T + 6 times (1 + u), and 2 are for what is of second order. Where terms cancel, this is all there is to see.
    One position cannot cancel: there the margin of clipping is enough.
    """
    return 0.0 if positions == 1 else (positions + 8) * torch.finfo(dtype).eps / 2


def _gram_norms(g: torch.Tensor, a: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    """|sum_t g_t a_t^T|^2 = sum_ts (g_t.g_s)(a_t.a_s), which errs by at most a few units times (sum_t |g_t||a_t|)^2."""
    terms = torch.einsum("nti,nsi->nts", g, g) * torch.einsum("ntj,nsj->nts", a, a)
    roundings = g.shape[2] + a.shape[2] + g.shape[1] ** 2 + 4
    return torch.sqrt(terms.sum((1, 2)).clamp(min=0) + roundings * 2.0**-53 * size**2)


def _by_position(values: torch.Tensor, rows: Optional[Rows]) -> torch.Tensor:
    """(people, positions, width), in float64; one position where there are none."""
    values = values.double()
    values = values.unsqueeze(1) if values.dim() == 2 else values.flatten(1, -2)
    return values if rows is None else rows.together(values)


def _embedding_norms(
    layer: nn.Module, activations: list[torch.Tensor], backprops: torch.Tensor, rows: Optional[Rows] = None
) -> Norms:
    g, words = _by_position(backprops, rows), activations[0].reshape(len(activations[0]), -1)
    words = words if rows is None else rows.together(words)  # where there are fewer: the first word, with no gradient
    found = compute_embedding_norm_sample(layer, [words], g)  # type: ignore[arg-type]
    allowed = _allowed(g.shape[1], backprops.dtype) * torch.linalg.vector_norm(g, dim=2).sum(1)
    return {p: norms + allowed for p, norms in found.items()}


def _through(
    grad_sampler: Callable[..., Norms],
    layer: nn.Module,
    activations: list[torch.Tensor],
    backprops: torch.Tensor,
    rows: Optional[Rows] = None,
) -> Norms:
    """Norms of a layer whose per-sample gradients are made and dropped at once."""
    samples = grad_sampler(layer, activations, backprops)
    return {p: _norms_by_person(sample, rows) for p, sample in samples.items() if p.requires_grad}


def _norms_by_person(sample: torch.Tensor, rows: Optional[Rows]) -> torch.Tensor:
    """Of sums over records, which may cancel: with what the pass that adds up can round to."""
    if rows is None:
        return norms_of([sample])
    allowed = _allowed(int(np.bincount(rows.owner).max()), sample.dtype)
    return norms_of([rows.summed(sample.double())]) + allowed * rows.summed(norms_of([sample]))


def _checked(
    sampler: Callable[..., Norms],
    whose: Whose,
    layer: nn.Module,
    activations: list[torch.Tensor],
    backprops: torch.Tensor,
) -> Norms:
    """An empty batch has no norms; some of Opacus' samplers cannot say so."""
    if backprops.dtype in (torch.bfloat16, torch.float16):
        raise RationError("in half precision two backward passes do not agree: with autocast use hooks")
    if len(backprops) == 0:
        return {p: backprops.new_zeros(0) for p in layer.parameters(recurse=False) if p.requires_grad}
    rows = whose(len(backprops))
    return sampler(layer, activations, backprops, rows)
