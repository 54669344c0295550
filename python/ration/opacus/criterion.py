"""Which losses can be trusted: those in which a person's part does not depend on who else is in the batch.

Per-sample gradients are those of the batch's loss. A mean over people is undone by their number; a mean over anything
else is not, and each person's gradient, and their bound, would follow from other people's data. Ghost clipping takes
everybody's own loss and needs none of this.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from .. import RationError

_BY_CLASS = (nn.CrossEntropyLoss, nn.NLLLoss)  # their means are over weights, and leave labels out
_MEANS = ("mean", "batchmean")


def refuse_criterion(criterion: Any, loss_reduction: str) -> None:
    own = getattr(criterion, "reduction", loss_reduction)
    if own != loss_reduction and not (own in _MEANS and loss_reduction in _MEANS):
        raise RationError(
            f"loss_reduction is {loss_reduction} and the criterion's is {own}: they must agree, or gradients are scaled "
            "by how many people were drawn"
        )
    if own in _MEANS and isinstance(criterion, _BY_CLASS) and criterion.weight is not None:
        raise RationError(
            "the criterion divides by the class weights of everybody in the batch, so that a person's gradient depends "
            'on the others: give reduction="sum" and loss_reduction="sum", or use ghost clipping'
        )


def watch_criterion(criterion: Any, loss_reduction: str) -> None:
    """From now on, each time that it is called for gradients. A loss of another criterion cannot be seen."""
    if not isinstance(criterion, nn.Module):
        return

    def check(module: nn.Module, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
        if torch.is_grad_enabled():
            refuse_criterion(module, loss_reduction)
            _refuse_ignored(module, named["target"] if "target" in named else inputs[-1])

    criterion.register_forward_pre_hook(check, with_kwargs=True)


def _refuse_ignored(criterion: nn.Module, target: Any) -> None:
    """Labels that a mean leaves out are left out of its divisor too."""
    if not isinstance(criterion, _BY_CLASS) or criterion.reduction != "mean" or target.is_floating_point():
        return
    if bool((target == criterion.ignore_index).any()):
        raise RationError(
            "the criterion leaves labels out, and divides by how many are left in the batch: average over each "
            "person's own labels in a criterion of your own, or use ghost clipping"
        )
