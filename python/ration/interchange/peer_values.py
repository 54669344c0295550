"""What the tool that a history comes from says of it, if that tool is installed.

Asks the real accountants. One that is missing, fails or gives no finite number says so in words: a peer's
trouble is a finding, never an exception.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any, Callable, Union

from .history import entries_of, is_event

EpsilonAt = Callable[[float], float]


def accountants_for(history: Any) -> dict[str, EpsilonAt]:
    """The accountants of the tool that ``history`` comes from: each gives its eps at a delta."""
    if is_event(history):
        return {f"dp_accounting {name}": partial(_of_event, history, name) for name in ("PLD", "RDP")}
    if hasattr(history, "get_epsilon"):
        return {f"opacus {history.mechanism()}": history.get_epsilon}
    # A bare list does not say which accountant wrote it: these two take any history.
    named = isinstance(history, Mapping) and "mechanism" in history
    names = [history["mechanism"]] if named else ["prv", "rdp"]
    return {f"opacus {name}": partial(_of_entries, history, name) for name in names}


def ask(epsilon_at: EpsilonAt, delta: float) -> Union[float, str]:
    """An accountant's eps at ``delta``, or in words why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the verdict says more than they do
            epsilon = float(epsilon_at(delta))
    except ImportError as missing:
        return f"not asked: {missing}"
    except Exception as failure:  # whatever a peer does, our own number stands
        return f"gave no number: {type(failure).__name__}: {failure}"
    return epsilon if math.isfinite(epsilon) else f"gave no number: {epsilon}"


def _of_event(event: Any, name: str, delta: float) -> float:
    from dp_accounting import pld, rdp

    accountant = pld.PLDAccountant() if name == "PLD" else rdp.RdpAccountant()
    return accountant.compose(event).get_epsilon(delta)


def _of_entries(history: Any, name: str, delta: float) -> float:
    from opacus.accountants import create_accountant

    accountant = create_accountant(name)
    accountant.history = [tuple(entry) for entry in entries_of(history)]
    return accountant.get_epsilon(delta)
