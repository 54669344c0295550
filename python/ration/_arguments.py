"""Arguments as the core takes them. What does not fit is refused here, by name: the core's own complaint about a type
would print every other argument too, norms and state among them.

Arrays are contiguous, of 32 or 64 bits, and copied only where they are not.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import RationError

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
    """A copy: they are checked and then used, and must not change in between."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size > 0):
        raise TypeError("people are a list of whole numbers: the positions of those who are charged")
    if array.dtype.kind == "i" and (array < 0).any():
        raise ValueError("people: positions are counted from 0")
    return np.array(array, np.uint64)


def number_of(name: str, given: Any) -> float:
    other = isinstance(given, (str, bytes, bool, np.bool_)) or np.ndim(given) > 0 or np.iscomplexobj(given)
    if other or not hasattr(given, "__float__"):
        raise TypeError(f"{name} is a {type(given).__name__}: give a number")
    return float(given)


def whole_of(name: str, given: Any) -> int:
    if isinstance(given, (bool, np.bool_)) or not hasattr(given, "__index__"):
        raise TypeError(f"{name} is a {type(given).__name__}: give a whole number")
    count = operator.index(given)
    if not 0 <= count < 2**63:
        raise RationError(f"{name} is {count}: give a whole number from 0")
    return count


def bytes_of(name: str, given: Any) -> bytes:
    if not isinstance(given, (bytes, bytearray, memoryview)):
        raise TypeError(f"{name} is a {type(given).__name__}: give bytes")
    return bytes(given)


def text_of(name: str, given: Any) -> str:
    """Text that the core can take. What is wrong is said without it: it may be somebody's id."""
    if not isinstance(given, str):
        raise TypeError(f"{name} is a {type(given).__name__}: give text")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise RationError(f"{name} is no text: it has half of a character") from None
    return given


def ids_of(name: str, given: Any) -> list[str]:
    """People's ids: any texts, or whole numbers as the text of them."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise TypeError(f"{name} are a {type(given).__name__}: give a list of texts or whole numbers")
    ids = []
    for position, one in enumerate(given.tolist() if hasattr(given, "tolist") else given):
        if isinstance(one, (bool, np.bool_)) or not (isinstance(one, str) or hasattr(one, "__index__")):
            raise TypeError(f"{name}: at position {position} (from 0) is a {type(one).__name__}, no text or whole number")
        ids.append(one if isinstance(one, str) else str(operator.index(one)))
    text_of(name, "".join(ids))
    return ids
