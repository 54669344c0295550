"""The loss of ghost clipping: one number for each person, through every operation up to ``backward``.

A person's gradient is clipped by a factor on their number. A term that all people of a batch share would be in
everybody's, also in those of people who were left out: no factor could take it away.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NoReturn

import torch
from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping, DPTensorFastGradientClipping

from .. import RationError


class Criterion(DPLossFastGradientClipping):
    """What ``make_private`` returns for ghost clipping in place of the criterion."""

    def __call__(self, *args: Any, **options: Any) -> Loss:
        found = super().__call__(*args, **options)
        if found.loss_per_sample.dim() != 1:
            raise RationError("the criterion gives other than one number for each person: average over the rest in it")
        return Loss(found.module, found.optimizer, found.loss_per_sample, found.loss_reduction)


class Loss(DPTensorFastGradientClipping):
    """Can be added to other losses of the criterion, and scaled and shifted by numbers."""

    def backward(self) -> None:
        self.optimizer.expect(self.loss_per_sample)
        super().backward()
        self.optimizer.seal()

    def __add__(self, other: Any) -> Loss:
        return self._of(self.loss_per_sample + self._term(other))

    def __sub__(self, other: Any) -> Loss:
        return self._of(self.loss_per_sample - self._term(other))

    def __rsub__(self, other: Any) -> Loss:
        return self._of(self._term(other) - self.loss_per_sample)

    def __mul__(self, other: Any) -> Loss:
        return self._of(self.loss_per_sample * self._number(other))

    def __truediv__(self, other: Any) -> Loss:
        return self._of(self.loss_per_sample / self._number(other))

    def __neg__(self) -> Loss:
        return self._of(-self.loss_per_sample)

    def _of(self, loss_per_sample: torch.Tensor) -> Loss:
        return Loss(self.module, self.optimizer, loss_per_sample, self.loss_reduction)

    def _term(self, other: Any) -> Any:
        if not isinstance(other, Loss):
            return self._number(other)
        if other.module is not self.module or other.loss_reduction != self.loss_reduction:
            raise RationError("the losses are of two trainings: add up losses of one criterion")
        if other.loss_per_sample.shape != self.loss_per_sample.shape:
            raise RationError("the losses are of different numbers of people: add up losses of one batch")
        return other.loss_per_sample

    def _number(self, other: Any) -> Any:
        if isinstance(other, torch.Tensor):
            if other.requires_grad or not (other.dim() == 0 or other.shape == self.loss_per_sample.shape):
                _refuse()
        elif not isinstance(other, Real):
            _refuse()
        return other


def _refuse() -> NoReturn:
    raise RationError(
        "a term of the loss is not of the criterion: it would be in everybody's part, also of who was left out. "
        "Take numbers, or tensors without a gradient, or put the term into the criterion, one number for each person"
    )
