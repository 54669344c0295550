"""The optimizer for ghost clipping: norms from one backward pass, the sum of clipped gradients from a second.

Opacus asks the module for each person's factor between the two. Here the answer comes from everybody's limits, whatever
was done to the loss in between. No person's gradient is ever held.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional, Sequence

import torch
from opacus.optimizers import DPOptimizerFastGradientClipping

from .. import RationError
from .clip import clip_factors
from .ghost_layers import refuse_layers_by_record, refuse_uses_without_norms
from .ghost_norms import precise_samplers
from .rows import Rows
from .steps import IndividualSteps, OpenStep


_TOO_LARGE = (
    "gradients are larger than the norms that they were clipped by: a layer's norms are not those of its gradients, or "
    "the model mixes people. Use hooks"
)
# How far one pass may be above the other where they are compared: far more than rounding, far less than a missing part.
_AGREEING = 1 + 2.0**-10


class GhostOptimizer(IndividualSteps, DPOptimizerFastGradientClipping):
    """Made by ``PrivacyEngine.make_private`` for ``grad_sample_mode="ghost"``."""

    def answer_for(self, hooks: Any) -> None:
        """Takes over the factors and the norms of Opacus' ghost-clipping module (or hooks)."""
        self._hooks = hooks
        self._compared = False
        self._pass: Optional[TwoPasses] = None
        hooks.NORM_SAMPLERS = precise_samplers(hooks, Whose(self))
        if self.books.records is not None and (self.books.records > 1).any():
            refuse_layers_by_record(hooks._module, hooks.NORM_SAMPLERS)
        hooks.get_clipping_coef = Factors(self)

    def norms_by_person(self, rows: Rows) -> torch.Tensor:
        return _over_parameters(self._norms())

    def refresh(self, *args: Any, **options: Any) -> None:
        super().refresh(*args, **options)
        self._compared = False

    def draw(self, people: Any) -> None:
        self._check_parameters()
        self._pass = None
        super().draw(people)

    def expect(self, loss_per_sample: torch.Tensor) -> None:
        """Before the two backward passes of a batch: what they are of."""
        self._checked_step()
        self._check_parameters()
        if torch.get_float32_matmul_precision() != "highest":
            raise RationError("in less than the highest float32 precision two backward passes do not agree: use hooks")
        refuse_uses_without_norms(loss_per_sample, self.params)
        self._pass = TwoPasses(loss_per_sample)

    def factors(self) -> torch.Tensor:
        """Between the two backward passes of a batch, what each person's loss is multiplied by."""
        step = self._checked_step()
        self._check_parameters()
        if self._pass is None or self._pass.ceilings is not None:
            raise RationError("the loss is not of the criterion that make_private returned: nothing says what is in it")
        rows = step.drawn
        assert rows is not None and rows is self._rows
        by_parameter, limits = self._norms(), self._limits_of(step, rows)
        norms = _over_parameters(by_parameter)
        if len(norms) != len(limits) or len(self._pass.loss) != len(rows.owner):
            raise RationError(
                f"{len(limits)} people were drawn and {len(norms)} gradients are there: draw() is about another batch"
            )
        factors = clip_factors(norms, limits.to(norms.device))
        self._compare(self._pass.loss, norms, by_parameter, rows)
        self._pass.ceilings = [float((factors * (one.to(factors.device) + 1e-6)).sum()) for one in by_parameter]
        return rows.spread(factors.to(self.params[0].dtype))

    def seal(self) -> None:
        """After the second pass: what the gradients are is what is added up."""
        assert self._pass is not None
        self._pass.loss = torch.zeros(0)  # its graph is used up
        self._pass.written = self._written()
        self._checked_step().clipped = True

    def add_up(self, step: OpenStep, rows: Rows, limits: torch.Tensor) -> None:
        self._check_parameters()
        done, self._pass = self._pass, None
        if not step.clipped or done is None or done.ceilings is None:
            raise RationError(
                "nothing was clipped since draw(): call backward on a loss of the criterion that make_private returned"
            )
        if any(hasattr(p, "_norm_sample") for p in self.params) or done.written != self._written():
            raise RationError("a backward pass that does not clip came after one that does: add up losses before it")
        norms = [float(torch.linalg.vector_norm(p.grad, dtype=torch.float64)) for p in self._hooks.trainable_parameters]
        if not all(math.isfinite(norm) for norm in norms):
            raise RationError("a gradient is not finite, and ghost clipping cannot leave it out: use hooks")
        if any(norm > _AGREEING * ceiling for norm, ceiling in zip(norms, done.ceilings)):
            raise RationError(_TOO_LARGE)
        self.accumulate()

    def _compare(
        self, loss: torch.Tensor, norms: torch.Tensor, by_parameter: Sequence[torch.Tensor], rows: Rows
    ) -> None:
        """Once after make_private and each refresh: one person's gradient by autograd alone, and their norms."""
        if self._compared or len(norms) == 0 or not bool(torch.isfinite(norms).all()):
            return
        person = int(norms.argmax())
        self._hooks.disable_hooks()
        try:
            own = loss[torch.from_numpy(rows.owner == person).to(loss.device)].sum()
            grads = torch.autograd.grad(own, self._hooks.trainable_parameters, retain_graph=True)
        finally:
            self._hooks.enable_hooks()
        for grad, found in zip(grads, by_parameter):
            if torch.linalg.vector_norm(grad, dtype=torch.float64) > _AGREEING * found[person] + 1e-6:
                raise RationError(_TOO_LARGE)
        self._compared = True

    def _check_parameters(self) -> None:
        if set(self.params) != set(self._hooks.trainable_parameters):
            raise RationError(
                "parameters were frozen or unfrozen after make_private, and norms are of those of then: "
                "make the model private again, with a new engine"
            )

    def _written(self) -> list[tuple[int, int]]:
        """Which gradients these are, and how often they were written to."""
        return [(id(p.grad), -1 if p.grad is None else p.grad._version) for p in self._hooks.trainable_parameters]

    def _norms(self) -> list[torch.Tensor]:
        """Everybody's norm, by parameter."""
        return [self._taken(p) for p in self._hooks.trainable_parameters]

    @staticmethod
    def _taken(p: torch.nn.Parameter) -> torch.Tensor:
        """A norm is used once: one that is left from another batch must not stand in for a missing one."""
        norms = getattr(p, "_norm_sample", None)
        if norms is None:
            raise RationError("a trainable parameter took no part in the backward pass: its gradient has no norm")
        del p._norm_sample
        return norms.to(torch.float64)


@dataclass
class TwoPasses:
    """The two backward passes of a batch."""

    loss: torch.Tensor
    ceilings: Optional[list[float]] = None  # the most that each parameter's gradient can be, by the first pass
    written: Sequence[tuple[int, int]] = ()  # by the second pass


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


class Whose:
    """What norms of layers ask: whose the rows of the batch are. A copy has no optimizer, and rows are one person's each."""

    def __init__(self, optimizer: Optional[GhostOptimizer] = None) -> None:
        self._optimizer = optimizer

    def __call__(self, rows: int) -> Optional[Rows]:
        """None: one row is one person."""
        own = None if self._optimizer is None else self._optimizer._rows
        if own is None or own.one_each:
            return None
        if len(own.owner) != rows:
            raise RationError(f"{len(own.owner)} records were drawn and {rows} are there: draw() is about another batch")
        return own

    def __reduce__(self) -> tuple[type[Whose], tuple[()]]:
        return Whose, ()


def _over_parameters(norms: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.linalg.vector_norm(torch.stack([one.to(norms[0].device) for one in norms]), dim=0)
