"""Arrays as the core takes them: contiguous, of 32 or 64 bits, copied only where they are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


def norms_of(values: npt.ArrayLike) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if array.dtype != np.float32 and array.dtype != np.float64:
        if array.dtype.kind not in "fiub":
            raise TypeError(f"norms are numbers, not {array.dtype}")
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def indices_of(values: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size > 0):
        raise TypeError("people are a list of whole numbers: the positions of those who are charged")
    if array.dtype.kind == "i" and (array < 0).any():
        raise ValueError("people: positions are counted from 0")
    return np.ascontiguousarray(array, np.uint64)
