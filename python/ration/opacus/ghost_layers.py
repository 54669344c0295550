"""Which models ghost clipping can be trusted with: those whose gradients are all seen by the norms of their layers.

The clipped sum comes out of autograd, the norms out of single layers. A gradient that reaches a parameter past its
layer is in the sum and in no norm, and would be released as it is.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Mapping, Sequence

import torch
from opacus.layers.dp_rnn import DPRNNBase
from torch import nn
from torch.nn.modules.conv import _ConvNd

from .. import RationError


def refuse_layers(model: nn.Module) -> None:
    """Before training: layers whose norms are not those of their gradients, and parameters with two owners."""
    for layer in model.modules():
        if isinstance(layer, _ConvNd) and layer.padding_mode != "zeros":
            raise RationError(
                f"a convolution pads with {layer.padding_mode}, and its norms are those of zeros: use hooks, or pad "
                "before a convolution without padding"
            )
        if getattr(layer, "scale_grad_by_freq", False):
            raise RationError("an embedding scales gradients by frequency, and its norms do not: use hooks")
    # A recurrent layer of Opacus names the parameters of its parts once more, and uses them through the parts alone.
    layers = [layer for layer in model.modules() if not isinstance(layer, DPRNNBase)]
    owners = Counter(p for layer in layers for p in layer._parameters.values() if p is not None)
    if any(count > 1 for count in owners.values()):
        raise RationError("a parameter belongs to two layers, and norms are of one: with tied parameters use hooks")


def refuse_layers_by_record(model: nn.Module, samplers: Mapping[type[nn.Module], Any]) -> None:
    """Where a person has several records: layers of which there are norms of single records alone.

    The norm of a sum does not follow from them: it needs the products of a person's records with each other.
    """
    for layer in model.modules():
        own = any(p.requires_grad for p in layer.parameters(recurse=False))
        if own and type(layer) not in samplers and not isinstance(layer, DPRNNBase):
            raise RationError(
                f"a {type(layer).__name__} has norms of single records, and a person with several contributes their "
                "sum: use hooks"
            )


def refuse_uses_without_norms(loss: torch.Tensor, params: Sequence[nn.Parameter]) -> None:
    """At each batch: every way from the loss to a parameter leads through a layer that Opacus has seen."""
    uses = _uses(loss)
    if any(uses[p] != p._forward_counter for p in params):  # type: ignore[attr-defined]
        raise RationError(
            "a parameter is used outside of its layer, or twice in it, and norms are of one use: use hooks"
        )


def _uses(loss: torch.Tensor) -> Counter[Any]:
    """How often each parameter comes in the graph of ``loss``."""
    found: Counter[Any] = Counter()
    waiting, seen = [loss.grad_fn], {loss.grad_fn}
    while waiting:
        node = waiting.pop()
        for after, _ in node.next_functions if node is not None else ():
            parameter = getattr(after, "variable", None)  # of the node that adds up its gradient
            if parameter is not None:
                found[parameter] += 1
            elif after is not None and after not in seen:
                seen.add(after)
                waiting.append(after)
    return found
