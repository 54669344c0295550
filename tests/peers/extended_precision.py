"""Lets the Fourier transforms of the peers run in extended precision, everything else as it is.

The same tool with the same grid, its transform in 64 instead of 53 bits: if that removes a disagreement, rounding
was its cause.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import opacus.accountants.analysis.prv.compose as opacus_compose
import prv_accountant.composers as prv_composers
import scipy.fft
import scipy.signal
from dp_accounting.pld import common, pld_pmf


def use_extended_precision(monkeypatch: Any) -> None:
    monkeypatch.setattr(common, "fft", _Transforms)
    monkeypatch.setattr(pld_pmf, "signal", SimpleNamespace(fftconvolve=_convolve))
    for module in (opacus_compose, prv_composers):
        monkeypatch.setattr(module, "rfft", lambda values: scipy.fft.rfft(_extended(values)))
        monkeypatch.setattr(module, "convolve", _convolve)


def _extended(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=np.longdouble)


def _convolve(left: Any, right: Any, mode: str = "full") -> np.ndarray:
    return scipy.signal.fftconvolve(_extended(left), _extended(right), mode=mode)


class _Transforms:
    next_fast_len = staticmethod(scipy.fft.next_fast_len)
    ifft = staticmethod(scipy.fft.ifft)

    @staticmethod
    def fft(values: Any, length: int) -> np.ndarray:
        return scipy.fft.fft(_extended(values), length)
