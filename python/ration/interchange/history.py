"""Reads what other tools ran, as a plan: Opacus histories and dp_accounting's DpEvent trees.

Events are known by the name of their class and read by their attributes, so that neither tool has to be
installed. What is not understood is refused by name; nothing is skipped. Neighbours are data sets that
differ in one person, dp_accounting's ADD_OR_REMOVE_ONE.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Union

from .._arguments import number_of
from .._core import RationError
from .._plans import Gaussian, Laplace

Part = Union[Gaussian, Laplace]


def plan_of(history: Any) -> list[Part]:
    """The plan that was run; like steps are counted together.

    ``history`` is an Opacus accountant, its ``history`` list of (noise multiplier, sample rate, steps),
    its ``state_dict()``, or a ``dp_accounting.DpEvent``.

    >>> plan_of([(1.0, 0.01, 300), (2.0, 0.01, 100), (1.0, 0.01, 200)])
    [Gaussian(noise=1.0, rate=0.01, steps=500), Gaussian(noise=2.0, rate=0.01, steps=100)]
    """
    steps: dict[Part, int] = {}
    for part in _read_event(history, times=1) if is_event(history) else _read_entries(entries_of(history)):
        once = replace(part, steps=1)
        steps[once] = steps.get(once, 0) + part.steps
    return [replace(once, steps=count) for once, count in steps.items()]


def is_event(history: Any) -> bool:
    """Whether this is one of dp_accounting's events, known to us or not."""
    return any(base.__name__ == "DpEvent" for base in type(history).__mro__)


def entries_of(history: Any) -> Sequence[Any]:
    """The (noise multiplier, sample rate, steps) of an Opacus accountant, its state or its list."""
    if isinstance(history, Mapping):
        if "history" not in history:
            raise RationError("the state has no history: give an Opacus accountant's state_dict()")
        found = history["history"]
    else:
        found = getattr(history, "history", history)
    if isinstance(found, (str, bytes)) or not isinstance(found, Sequence):
        kind = type(history).__name__
        raise TypeError(f"a {kind} is no history: give an Opacus accountant, its history or state, or a DpEvent")
    return found


def _read_entries(entries: Sequence[Any]) -> list[Part]:
    return [_read_entry(index, entry) for index, entry in enumerate(entries)]


def _read_entry(index: int, entry: Any) -> Part:
    if isinstance(entry, (str, bytes)) or not isinstance(entry, Sequence) or len(entry) != 3:
        raise RationError(f"entry {index} of the history is not (noise multiplier, sample rate, steps)")
    noise, rate, steps = entry
    return Gaussian(_noise(noise), number_of("the sample rate", rate), _count("steps", steps))


def _read_event(event: Any, times: int) -> list[Part]:
    kind = type(event).__name__
    if kind == "NoOpDpEvent":
        return []
    if kind == "GaussianDpEvent":
        return [Gaussian(_noise(event.noise_multiplier), steps=times)]
    if kind == "LaplaceDpEvent":
        return [Laplace(_noise(event.noise_multiplier), steps=times)]
    if kind == "PoissonSampledDpEvent":
        return _read_sampled(event, times)
    if kind == "SelfComposedDpEvent":
        return _read_event(event.event, _count("count", times * _count("count", event.count)))
    if kind == "ComposedDpEvent":
        return [part for inner in event.events for part in _read_event(inner, times)]
    raise RationError(f"{kind} {_REFUSED.get(kind, 'is not an event that can be certified')}")


_REFUSED = {
    "NonPrivateDpEvent": "is not private: its epsilon is infinite",
    "RandomizedResponseDpEvent": "protects an answer that is changed, not a person who is added or removed:"
    " use ration.RandomisedResponse",
}


def _read_sampled(event: Any, times: int) -> list[Part]:
    rate = number_of("the sampling probability", event.sampling_probability)
    if rate == 1:
        return _read_event(event.event, times)
    inner = _read_event(event.event, times=1)
    if not inner:
        return []
    # Several releases from one sample share it: they are not several samples, and the one Gaussian that they
    # amount to has a noise that is rarely a floating-point number.
    if inner != [Gaussian(inner[0].noise)]:
        kind = type(event.event).__name__
        raise RationError(f"PoissonSampledDpEvent over {kind} is not one Gaussian step: it cannot be certified")
    return [Gaussian(inner[0].noise, rate, times)]


def _noise(given: Any) -> float:
    noise = number_of("the noise multiplier", given)
    if noise == 0:
        raise RationError("the noise multiplier is 0: a step without noise is not private, its epsilon is infinite")
    return noise


def _count(name: str, given: Any) -> int:
    try:
        count = operator.index(given)
    except TypeError:
        as_float = number_of(name, given)  # a whole number that went through a float
        count = int(as_float) if as_float.is_integer() else 0
    if not 1 <= count <= 10**15:
        raise RationError(f"{name} is {given}: give a whole number from 1 to 1e15")
    return count
