"""A grant of a ledger as the budget of a training: everybody's reserve is their budget.

The grant is started before the first step, under a name that travels in checkpoints: a training goes on with the same
token from a checkpoint of its own, and no other training can. What was never settled counts as spent.
"""

from __future__ import annotations

import secrets
from typing import Any, Mapping, Optional, Sequence

from .. import GdpFilter, Grant, RationError, RenyiFilter, _core
from .._arguments import number_of
from .._filters import AnyFilter


class Granted:
    """``ids``: who the people of the data set are, in their order."""

    def __init__(self, grant: Grant, ids: Optional[Sequence[str]]) -> None:
        if ids is None:
            raise RationError("a grant is for people with ids: give Indexed(dataset, people=ids) to the loader")
        self.grant = grant
        self._chosen = grant._positions(list(ids))
        self._run = secrets.token_hex(16)
        self._head = grant.ledger.head
        self._goes_on = grant.status == "reserved"  # nothing was released with it, or we know what
        self._begun = False  # by this training

    def filter(self, *, noise: float, clip: float, rate: float) -> Optional[AnyFilter]:
        """None if a training was started before, whose checkpoint must be loaded."""
        step = self.grant._step(noise, clip, rate)
        if self.grant.status in ("settled", "voided"):
            raise RationError(f"grant '{self.grant.token}' is {self.grant.status}: take another one with a new token")
        if not self._goes_on:
            return None
        core = self.grant.ledger._core.filter(self.grant._core, self._chosen, self._run)
        return self.grant._describe(core, step, self._chosen)

    def begin(self) -> None:
        """Before a step is charged. If anything here is refused, no step may be released."""
        if self.grant.status in ("settled", "voided"):
            raise RationError(f"grant '{self.grant.token}' is {self.grant.status}: no step can follow")
        if not self._goes_on:
            raise RationError(
                f"grant '{self.grant.token}' was started before: load the checkpoint of that training, or settle "
                "everything and take another one"
            )
        if not self._begun:  # the ledger refuses a grant that another training has started
            self.grant._begin(self._run)
            self._begun, self._head = True, self.grant.ledger.head

    def promised(self, worst_case: float, delta: float) -> float:
        """What follows from the limit, which is public; without one the worst case."""
        if self.grant._limit is None:
            return worst_case
        limit = self.grant.ledger._core.limit(self.grant._limit)
        return _core.promised(limit, worst_case, number_of("delta", delta))

    def settle(self, filter: Optional[AnyFilter]) -> None:
        if filter is None:
            raise RationError(f"grant '{self.grant.token}' was started before: load the checkpoint of that training")
        self.grant._settle(filter, self._chosen)

    def state_dict(self) -> dict[str, str]:
        return {"token": self.grant.token, "run": self._run, "head": self._head}

    def loaded(
        self, state: Mapping[str, str], filter_state: Mapping[str, Any], *, older: bool
    ) -> AnyFilter:
        """The filter of a checkpoint; or a refusal, if it is not of this grant. ``older`` ones do not say whose it is."""
        ledger, token = self.grant.ledger, self.grant.token
        if state["token"] != token:
            raise RationError(f"the checkpoint is of another grant than '{token}': give that one to make_private")
        if not ledger.contains(state["head"]):
            raise RationError("the ledger has never had the head of the checkpoint: it is an old copy, or another one")
        kind: Any = GdpFilter if ledger.currency == "gdp" else RenyiFilter
        made: AnyFilter = kind.__new__(kind)
        made.load_state_dict(dict(filter_state))
        run = ledger._core.run_of(self.grant._core, made._core, self._chosen, older)
        if run not in ("", state["run"]):
            raise RationError("the checkpoint's filter is of another training than the checkpoint: give one as it was saved")
        if not made._core.holds_all:
            raise RationError(
                f"steps were charged here with grant '{token}' that the checkpoint does not have: what they released would "
                "be forgotten. Settle everything, and take another grant"
            )
        if not run:
            made._core = ledger._core.named(self.grant._core, made._core, self._chosen, state["run"])
        return made

    def go_on(self, state: Mapping[str, str], filter: AnyFilter) -> None:
        """From a checkpoint whose filter was loaded. The ledger refuses another training's."""
        if filter.steps > 0 or self.grant.status == "started":
            self.grant._begin(state["run"])
            self._begun = True
        self._run, self._head, self._goes_on = state["run"], self.grant.ledger.head, True
        self.grant._filter, self.grant._chosen = filter, self._chosen
