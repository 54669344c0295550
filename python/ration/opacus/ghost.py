"""The optimizer for ghost clipping: norms from one backward pass, the sum of clipped gradients from a second.

Opacus asks the module for each person's factor between the two. Here the answer comes from everybody's limits, whatever
was done to the loss in between. No person's gradient is ever held.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from opacus.optimizers import DPOptimizerFastGradientClipping

from .. import RationError
from .clip import clip_factors
from .ghost_norms import precise_samplers
from .steps import IndividualSteps, OpenStep


class GhostOptimizer(IndividualSteps, DPOptimizerFastGradientClipping):
    """Made by ``PrivacyEngine.make_private`` for ``grad_sample_mode="ghost"``."""

    def answer_for(self, hooks: Any) -> None:
        """Takes over the factors and the norms of Opacus' ghost-clipping module (or hooks)."""
        self._hooks = hooks
        hooks.NORM_SAMPLERS = precise_samplers(hooks)
        hooks.get_clipping_coef = Factors(self)

    def per_sample_norms(self) -> torch.Tensor:
        norms = [self._taken(p) for p in self._hooks.trainable_parameters]
        return torch.linalg.vector_norm(torch.stack([one.to(norms[0].device) for one in norms]), dim=0)

    def add_up(self, step: OpenStep, limits: torch.Tensor) -> None:
        if not step.clipped:
            raise RationError(
                "nothing was clipped since draw(): call backward on a loss of the criterion that make_private returned"
            )
        if any(hasattr(p, "_norm_sample") for p in self._hooks.trainable_parameters):
            raise RationError("a backward pass that does not clip came after one that does: add up losses before it")
        if not all(bool(torch.isfinite(p.grad).all()) for p in self.params if p.grad is not None):
            raise RationError("a gradient is not finite, and ghost clipping cannot leave it out: use hooks")
        self.accumulate()

    def factors(self) -> torch.Tensor:
        """Between the two backward passes of a batch, what each person's loss is multiplied by."""
        step = self._checked_step()
        norms, limits = self.per_sample_norms(), self._limits_of(step)
        if len(norms) != len(limits):
            raise RationError(
                f"{len(limits)} people were drawn and {len(norms)} gradients are there: draw() is about another batch"
            )
        step.clipped = True
        return clip_factors(norms, limits.to(norms.device)).to(self.params[0].dtype)

    @staticmethod
    def _taken(p: torch.nn.Parameter) -> torch.Tensor:
        """A norm is used once: one that is left from another batch must not stand in for a missing one."""
        norms = getattr(p, "_norm_sample", None)
        if norms is None:
            raise RationError("a trainable parameter took no part in the backward pass: its gradient has no norm")
        del p._norm_sample
        return norms.to(torch.float64)


class Factors:
    """What the module asks. A copy of it, saved or in memory, has no optimizer and takes nobody's account with it."""

    def __init__(self, optimizer: Optional[GhostOptimizer] = None) -> None:
        self._optimizer = optimizer

    def __call__(self) -> torch.Tensor:
        if self._optimizer is None:
            raise RationError("this module is a copy, which no accounts are kept for: train the one of make_private")
        return self._optimizer.factors()

    def __reduce__(self) -> tuple[type[Factors], tuple[()]]:
        return Factors, ()
