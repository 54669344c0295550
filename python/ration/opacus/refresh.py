"""One pass over everybody: each person's gradient norm with the parameters as they are.

What a person is charged must follow from their own data and from what was released, and from nothing else. So the
pass takes all people, whoever was drawn or left out, and has random numbers of its own (for dropout and the like):
those that will draw the next samples must not shape the bounds, and are where they were afterwards.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch.utils.data import DataLoader

from .. import RationError
from .rows import Rows

_SEED = 0x5261_7469_6F6E  # any constant that is nobody's seed for the training


@dataclass(frozen=True)
class Forward:
    """What ``refresh`` runs: model and loss as they are in training, and whose random numbers to leave alone."""

    model: torch.nn.Module
    criterion: Callable[..., Any]
    loss_reduction: str
    generators: Sequence[torch.Generator]

    def loss(self, batch: Any) -> Any:
        """The loss of a batch ``(positions, *inputs, target)``."""
        device = next(self.model.parameters()).device
        *inputs, target = (one.to(device) if isinstance(one, torch.Tensor) else one for one in batch[1:])
        return self.criterion(self.model(*inputs), target)


def everybodys_norms(
    optimizer: Any, forward: Forward, loader: DataLoader[Any], loss: Optional[Callable[[Any], Any]]
) -> npt.NDArray[np.float64]:
    """Of every person exactly once, or a refusal."""
    if not forward.model.training:
        raise RationError("the model is in eval mode, where Opacus measures nothing: call train() before refresh()")
    found = np.zeros(optimizer.books.people)
    seen = np.zeros(optimizer.books.people, bool)
    with _own_random_numbers([*forward.generators, loader.generator]), _own_gradients(optimizer.params):
        for batch in loader:
            rows = optimizer.measure(batch[0])
            if seen[rows.people].any():
                raise RationError("a person came twice: refresh takes a loader that yields everybody once")
            seen[rows.people] = True
            if len(rows.people):
                measured = (loss or forward.loss)(batch)
                found[rows.people] = _batch_norms(optimizer, measured, forward.loss_reduction, rows)
    if not seen.all():
        raise RationError("somebody did not come: refresh takes a loader that yields everybody once, without sampling")
    return found


def _batch_norms(optimizer: Any, loss: Any, loss_reduction: str, rows: Rows) -> npt.NDArray[np.float64]:
    per_sample = getattr(loss, "loss_per_sample", None)  # of the criterion for ghost clipping
    if per_sample is not None:
        loss = per_sample.mean() if loss_reduction == "mean" else per_sample.sum()
    loss.backward()
    norms = optimizer.norms_by_person(rows).cpu().numpy()
    for p in optimizer.params:
        p.grad = p.grad_sample = None
    if norms.shape != rows.people.shape:
        raise RationError("a batch has other than one gradient for each of its people")
    return norms


@contextmanager
def _own_random_numbers(generators: Sequence[Optional[torch.Generator]]) -> Iterator[None]:
    saved = [(one, one.get_state()) for one in generators if one is not None]
    with torch.random.fork_rng():
        torch.manual_seed(_SEED)
        try:
            yield
        finally:
            for generator, state in saved:
                generator.set_state(state)


@contextmanager
def _own_gradients(params: Sequence[torch.nn.Parameter]) -> Iterator[None]:
    saved = [(p.grad, getattr(p, "grad_sample", None), p.summed_grad) for p in params]
    for p in params:
        p.grad = p.grad_sample = p.summed_grad = None
    try:
        yield
    finally:
        for p, (grad, grad_sample, summed_grad) in zip(params, saved):
            p.grad, p.grad_sample, p.summed_grad = grad, grad_sample, summed_grad
