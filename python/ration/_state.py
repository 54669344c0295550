"""State that travels: in a file of its own, or inside another program's checkpoint."""

from __future__ import annotations

import os
from typing import Any, ClassVar, TypeVar

from . import _core
from ._arguments import bytes_of, number_of

Self = TypeVar("Self", bound="Stateful")
_SETTINGS = ("noise", "clip", "rate")


class Stateful:
    """What accounts, filters and odometers have in common: a core, the step they are made for, and saving.

    Saved state is private. Save after a step was recorded or admitted and before its output is released: a
    process that releases first and is then killed goes on from a state that has forgotten the step.
    """

    _core_class: ClassVar[Any]
    _kind: ClassVar[str]  # in a state_dict
    _saved_kind: ClassVar[str]  # in a state file
    _core: Any
    noise: float
    clip: float
    rate: float

    @property
    def people(self) -> int:
        return int(self._core.people)

    @property
    def steps(self) -> int:
        """How many steps were seen."""
        return int(self._core.steps)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a state file (mode 0600, replaced in one move) that the C++ library reads too."""
        self._core.save(os.fspath(path))

    @classmethod
    def load(
        cls: type[Self],
        path: str | os.PathLike[str],
        *,
        noise: float,
        clip: float,
        rate: float,
    ) -> Self:
        """What was saved goes on as it would have, bit for bit. Refuses a damaged file.

        A state file holds what was spent; the steps to come are described again, in full: norms that were
        recorded under another clip bound would cost something else.
        """
        made = cls.__new__(cls)
        made._describe(noise, clip, rate)
        made._core = cls._core_class.load(os.fspath(path), cls._saved_kind)
        return made

    def state_dict(self) -> dict[str, Any]:
        """Plain values and bytes, for ``torch.save`` and the like. Private."""
        settings = {name: getattr(self, name) for name in _SETTINGS}
        return {"ration": self._kind, "state": self._core.to_bytes(), **settings}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes the place of what is here. Refuses another kind, and state that is damaged.

        A filter of a grant refuses one of another grant, people or run, and one without steps that it has charged.
        """
        kind = state.get("ration")
        if kind != self._kind:
            raise ValueError(f"state_dict is of {kind}: give one of {self._kind}")
        core = self._core_class.from_bytes(bytes_of("the state", state["state"]), self._saved_kind)
        self._check_replacement(core)
        self._describe(*(state[name] for name in _SETTINGS))
        self._core = core

    def _check_replacement(self, core: Any) -> None:
        """Nothing is forgotten by loading, except what the caller may forget."""

    def _describe(self, noise: float, clip: float, rate: float) -> None:
        described = checked_step(noise, clip, rate)
        self.noise, self.clip, self.rate = described  # all or, if one is refused, none

    def _step(self, noise: float | None, clip: float | None, rate: float | None) -> tuple[float, float, float]:
        """The step's noise, clip bound and rate: as described, or as given for this one."""
        given = (noise, clip, rate)
        described = (self.noise, self.clip, self.rate)
        return checked_step(*(own if one is None else one for one, own in zip(given, described)))

    def __getstate__(self) -> dict[str, Any]:
        return self.state_dict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.load_state_dict(state)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={getattr(self, name):g}" for name in _SETTINGS)
        return f"<ration.{type(self).__name__} of {self.people} people after {self.steps} steps, {settings}>"


def checked_step(noise: Any, clip: Any, rate: Any) -> tuple[float, float, float]:
    """What a step is described by, or a refusal."""
    step = number_of("noise", noise), number_of("clip", clip), number_of("rate", rate)
    _core.check_step(*step)
    return step
