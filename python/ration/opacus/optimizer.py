"""The optimizer for per-sample gradients: a person's are added up and clipped to their limit, then all are added up."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

import torch
from opacus.optimizers import DPOptimizer
from opacus.optimizers.optimizer import _check_processed_flag, _mark_as_processed

from .. import RationError
from .clip import clip_factors, norms_of
from .rows import Rows
from .steps import IndividualSteps, OpenStep


class Optimizer(IndividualSteps, DPOptimizer):
    """Made by ``PrivacyEngine.make_private`` for ``grad_sample_mode`` "hooks" and "functorch"."""

    def norms_by_person(self, rows: Rows) -> torch.Tensor:
        return norms_of([self._by_person(p, rows) for p in self.params])

    def add_up(self, step: OpenStep, rows: Rows, limits: torch.Tensor) -> None:
        # Once: what is measured is what is added up.
        samples = [self._by_person(p, rows) for p in self.params]
        factors = clip_factors(norms_of(samples), limits)
        taken = factors > 0
        for p, sample in zip(self.params, samples):
            _check_processed_flag(p.grad_sample)
            # Who contributes nothing is not multiplied by zero, which would let a NaN through, but not there at all.
            people = taken.to(p.device)
            kept = sample if people.all() else sample[people]
            # Opacus' own sum, in the parameters' precision also where the caller computes in a lower one.
            with torch.autocast(p.device.type, enabled=False), _whole_float32():
                grad = torch.einsum("i,i...", factors[taken].to(p.device, p.dtype), kept.to(p.dtype))
            p.summed_grad = grad if p.summed_grad is None else p.summed_grad.add_(grad)
            _mark_as_processed(p.grad_sample)

    def _by_person(self, p: torch.nn.Parameter, rows: Rows) -> torch.Tensor:
        """Each person's gradient: that of their record, or the sum of those of all their records."""
        _check_rows(p, len(rows.owner))
        sample = self._get_flat_grad_sample(p)
        return sample if rows.one_each else rows.summed(sample.to(p.dtype))


@contextmanager
def _whole_float32() -> Iterator[None]:
    """Products in TF32 or bfloat16, which the caller may have allowed, round by more than the margin of clipping."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _check_rows(p: torch.nn.Parameter, records: int) -> None:
    sample = getattr(p, "grad_sample", None)
    if sample is None:
        raise RationError("a parameter has no per-sample gradients: run backward between draw() and step()")
    if isinstance(sample, list):
        raise RationError("gradients of several batches are there: call step() after each, or use BatchMemoryManager")
    if len(sample) != records:
        raise RationError(f"{records} records were drawn for {len(sample)} gradients: draw() is about another batch")
