"""An accountant for Opacus: the certified eps of everybody at the full clip bound.

Plugs into Opacus' own ``PrivacyEngine(accountant="ration")`` too. The number it gives is the upper end of
``ration.compose``: tight, and never below the truth.
"""

from __future__ import annotations

import os
import secrets
from typing import Any, Callable

from opacus.accountants import IAccountant, register_accountant

from .. import Gaussian, RationError, compose
from .poisson import drawn_rate


class Accountant(IAccountant):
    """Opacus' accountant interface. ``history`` holds (noise multiplier, sampling rate, steps)."""

    def __init__(self) -> None:
        self.history: list[tuple[float, float, int]] = []
        # How far each run has counted whose steps are in the history: this one's, and those it was loaded from. A
        # copy, and a forked process, is a run of its own.
        self._counted: dict[str, int] = {}
        self._run, self._run_of = "", (0, 0)

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Counts one noisy step. A rate above 1 is nobody's: it is refused before the step is released."""
        if not 0 < sample_rate <= 1:
            raise RationError(f"the sampling rate is {sample_rate:g}: give a number above 0 and up to 1")
        same = self.history and self.history[-1][:2] == (noise_multiplier, sample_rate)
        steps = self.history.pop()[2] + 1 if same else 1
        self.history.append((noise_multiplier, sample_rate, steps))
        if self._run_of != (os.getpid(), id(self)):
            self._run, self._run_of = secrets.token_hex(8), (os.getpid(), id(self))
        self._counted[self._run] = len(self)

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """For Opacus' own engine: each step counts at the rate with which its sampler really draws."""
        return super().get_optimizer_hook_fn(drawn_rate(sample_rate))

    def get_epsilon(self, delta: float, *args: Any, **kwargs: Any) -> float:
        """The eps of all steps so far, an upper bound. Without steps it is 0."""
        if args or kwargs:
            raise TypeError("get_epsilon takes delta alone: the value is certified and has no settings")
        if not self.history:
            return 0.0
        return compose([Gaussian(*entry) for entry in self.history], delta=delta).epsilon.upper

    def state_dict(self, destination: Any = None) -> Any:
        """As Opacus', and which runs have counted how far."""
        state = super().state_dict(destination)
        state["counted"] = dict(self._counted)
        return state

    def load_state_dict(self, state_dict: Any) -> None:
        """As Opacus'. Refuses a state without all the steps that were counted here: they would be forgotten."""
        loaded = Accountant()
        super(Accountant, loaded).load_state_dict(state_dict)
        counted = dict(state_dict.get("counted", {}))
        missing = any(steps > counted.get(run, 0) for run, steps in self._counted.items())
        if missing or len(loaded) < len(self):
            raise RationError(
                "steps were made here that the checkpoint does not have: what they released would be forgotten. Go on "
                "from it with a new engine, and add up the epsilons"
            )
        self.history = [(noise, rate, steps) for noise, rate, steps in loaded.history]
        self._counted = counted

    def __len__(self) -> int:
        return sum(steps for _, _, steps in self.history)

    @classmethod
    def mechanism(cls) -> str:
        return "ration"


register_accountant(Accountant.mechanism(), Accountant, force=True)
