"""The optimizer for per-sample gradients: each is clipped to its owner's limit, then they are added up."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

import torch
from opacus.optimizers import DPOptimizer
from opacus.optimizers.optimizer import _check_processed_flag, _mark_as_processed

from .. import RationError
from .clip import clip_factors, norms_of
from .steps import IndividualSteps, OpenStep


class Optimizer(IndividualSteps, DPOptimizer):
    """Made by ``PrivacyEngine.make_private`` for ``grad_sample_mode`` "hooks" and "functorch"."""

    def per_sample_norms(self) -> torch.Tensor:
        return norms_of(self.grad_samples)

    def add_up(self, step: OpenStep, limits: torch.Tensor) -> None:
        for p in self.params:
            _check_rows(p, len(limits))
        factors = clip_factors(self.per_sample_norms(), limits)
        taken = factors > 0
        for p in self.params:
            _check_processed_flag(p.grad_sample)
            # Who contributes nothing is not multiplied by zero, which would let a NaN through, but not there at all.
            rows, sample = taken.to(p.device), self._get_flat_grad_sample(p)
            kept = sample if rows.all() else sample[rows]
            # Opacus' own sum, in the parameters' precision also where the caller computes in a lower one.
            with torch.autocast(p.device.type, enabled=False), _whole_float32():
                grad = torch.einsum("i,i...", factors[taken].to(p.device, p.dtype), kept.to(p.dtype))
            p.summed_grad = grad if p.summed_grad is None else p.summed_grad.add_(grad)
            _mark_as_processed(p.grad_sample)


@contextmanager
def _whole_float32() -> Iterator[None]:
    """Products in TF32 or bfloat16, which the caller may have allowed, round by more than the margin of clipping."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _check_rows(p: torch.nn.Parameter, drawn: int) -> None:
    sample = getattr(p, "grad_sample", None)
    if sample is None:
        raise RationError("a parameter has no per-sample gradients: run backward between draw() and step()")
    if isinstance(sample, list):
        raise RationError("gradients of several batches are there: call step() after each, or use BatchMemoryManager")
    if len(sample) != drawn:
        raise RationError(f"{drawn} people were drawn for {len(sample)} gradients: draw() is about another batch")
