"""Accounts and a filter, charged together: who takes part is decided once, and charged for exactly that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

import numpy as np

from . import _core
from ._accounts import Accounts
from ._arguments import number_of
from ._filters import AnyFilter
from ._state import checked_step

if TYPE_CHECKING:
    import numpy.typing as npt


def admit_and_charge(
    accounts: Accounts,
    filter: Optional[AnyFilter],
    norms: npt.NDArray[np.float64],
    *,
    noise: float,
    clip: float,
    rate: float,
) -> npt.NDArray[np.float64]:
    """One step. Returns what everybody paid for: their norm, or 0 for anyone whom the filter left out. Private.

    After a refusal nobody has been charged.
    """
    if filter is None:
        paid = np.array(norms, np.float64)  # a copy: what is returned is what was charged
        accounts.record(paid, noise=noise, clip=clip, rate=rate)
        return paid
    step = checked_step(noise, clip, rate)
    return _core.admit_and_charge(accounts._core, filter._core, *step, np.ascontiguousarray(norms, np.float64))


def promised(filter: Optional[AnyFilter], worst_case: float, delta: float) -> float:
    """The eps that everybody is promised: the worst case, or with a filter the largest budget if that is less."""
    if filter is None:
        return worst_case
    return _core.promised(filter._core, worst_case, number_of("delta", delta))
