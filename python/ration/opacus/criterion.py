"""Which losses can be trusted: those in which a person's part does not depend on who else is in the batch.

Per-sample gradients are those of the batch's loss. A mean over people is undone by their number; a mean over anything
else is not, and each person's gradient, and their bound, would follow from other people's data.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from .. import RationError

_BY_CLASS = (nn.CrossEntropyLoss, nn.NLLLoss)  # their means are over weights, and leave labels out


def refuse_criterion(criterion: Any, loss_reduction: str) -> None:
    """For per-sample gradients. Ghost clipping takes everybody's own loss and needs no mean."""
    if getattr(criterion, "reduction", loss_reduction) != loss_reduction:
        raise RationError(
            f"loss_reduction is {loss_reduction} and the criterion's is {criterion.reduction}: gradients would be "
            "multiplied by how many people were drawn"
        )
    if loss_reduction == "mean" and isinstance(criterion, _BY_CLASS) and criterion.weight is not None:
        raise RationError(
            "the criterion divides by the class weights of everybody in the batch, so that a person's gradient depends on "
            'the others: give reduction="sum" and loss_reduction="sum", or use ghost clipping'
        )


def refuse_ignored(criterion: Any, target: Any) -> None:
    """Labels that a mean leaves out are left out of its divisor too."""
    if not isinstance(criterion, _BY_CLASS) or criterion.reduction != "mean" or not isinstance(target, torch.Tensor):
        return
    if not target.is_floating_point() and bool((target == criterion.ignore_index).any()):
        raise RationError(
            "the criterion leaves labels out, and divides by how many are left in the batch: average over each person's "
            "own labels in a criterion of your own, or use ghost clipping"
        )
