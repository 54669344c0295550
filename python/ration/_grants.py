"""What a run has reserved of a ledger, from the filter that it works with to the end."""

from __future__ import annotations

import os
import secrets
from types import TracebackType
from typing import TYPE_CHECKING, Any, Mapping, Optional

from . import _core
from ._arguments import ids_of, text_of
from ._core import RationError
from ._filters import AnyFilter, GdpFilter, RenyiFilter, TightFilter
from ._state import checked_step

if TYPE_CHECKING:
    from ._ledger import Ledger

_FILTERS: dict[str, Any] = {"gdp": GdpFilter, "rdp": RenyiFilter}


class Grant:
    """What a run may spend of everybody: made by ``Ledger.grant``. Until it is settled, all of it counts as spent.

    The order is: ``filter``, ``start``, steps that the filter admits, ``settle``. As a context manager it settles at the
    end of the block with the filter that it made last. After an exception it stays open, because what is unknown counts
    as spent: ask for the same grant again and ``resume`` from what was saved of the filter.

    A run uses one filter. Steps that another one has charged in this process, or a copy, or a later state of the same,
    are noticed: a filter that lacks them admits nobody, and ``settle`` refuses it. What other processes do is not seen: let one at a time go on
    from what was saved.
    """

    def __init__(
        self, ledger: Ledger, core: _core.Grant, token: str, ids: Optional[list[str]], limit: Optional[_core.Budget]
    ) -> None:
        self.ledger, self.token = ledger, token
        self._core, self._ids, self._limit = core, ids, limit
        self._filter: Optional[AnyFilter] = None
        self._chosen: list[int] = []
        self._run = secrets.token_hex(16)  # of this launch, until it goes on with what an earlier one has saved
        self._object = secrets.token_hex(4)  # two may go on from one state, and one of them may start the grant

    @property
    def status(self) -> str:
        """``reserved``, ``started``, ``settled`` or ``voided``: as far as this object has seen."""
        return self._core.status

    @property
    def people(self) -> int:
        """How many people it is for."""
        return int(self._core.people)

    @property
    def ids(self) -> list[str]:
        """Whose it is, in the order of the request. Private."""
        return self.ledger.ids()[: self.people] if self._ids is None else list(self._ids)

    def filter(self, *, noise: float, clip: float = 1.0, rate: float = 1.0, ids: Any = None) -> AnyFilter:
        """The run's filter: each person's budget is their reserve. Private, as every filter.

        A ``GdpFilter`` or a ``RenyiFilter``, by the ledger's currency; noise, clip bound and rate describe the steps to
        come. ``ids``: who takes part, in the order of the norms to come; by default all people of the grant, in theirs. The
        others get back what was reserved. Only before ``start``: a run that was started goes on by ``resume``.
        """
        step, chosen = self._step(noise, clip, rate), self._positions(ids)
        return self._describe(self.ledger._core.filter(self._core, chosen, self._run), step, chosen)

    def resume(
        self,
        saved: str | os.PathLike[str] | Mapping[str, Any],
        *,
        noise: float,
        clip: float = 1.0,
        rate: float = 1.0,
        ids: Any = None,
    ) -> AnyFilter:
        """The filter that a run has saved, to go on with: the path that ``save`` has written, or a ``state_dict``.

        ``ids`` as they were given to ``filter``. Refuses a filter of another grant, of other people or of another run
        than the one that has started the grant, and one that lacks steps which were charged in this process.
        """
        step, chosen = self._step(noise, clip, rate), self._positions(ids)
        self._check_open()
        kind = _FILTERS[self.ledger.currency]
        if isinstance(saved, Mapping):
            loaded = kind.__new__(kind)
            loaded.load_state_dict(dict(saved))
            core = loaded._core
        else:
            core = _core.Filter.load(os.fspath(saved), kind._saved_kind)
        run = self.ledger._core.run_of(self._core, core, chosen, False)
        return self._describe(self._continued(core, chosen, run, self._run), step, chosen)

    def start(self, run: str = "") -> None:
        """From now on something may have been released. Save the filter before.

        A grant is started by one launch of one program: a name is drawn for it, which is saved with the filter, so that
        ``resume`` goes on with the same run while a second launch is refused. ``run`` is put before that name, for those
        who read the ledger. Once more, it changes nothing.
        """
        self._begin(self._run, text_of("run", run))

    def settle(self, filter: Optional[AnyFilter] = None, *, ids: Any = None) -> None:
        """The run has ended: what its filter has charged is spent, and the rest goes back. No step can follow.

        ``filter``: by default the one that this object has made, or resumed, last; for another one give the ``ids`` that
        it was made for. The same once more changes nothing. A grant that was started is not settled by a filter that has
        seen no step: see ``settle_nothing``. What nobody knows any more: ``Ledger.settle_everything``.
        """
        if filter is None:
            filter, chosen = self._filter, self._chosen
            if filter is None:
                raise RationError(f"filter of grant '{self.token}' is missing: give it, or settle everything")
        else:
            chosen = self._chosen if ids is None and filter is self._filter else self._positions(ids)
        if isinstance(filter, TightFilter):
            raise RationError("filter counts in tight prices, which no ledger does: give the one that the grant has made")
        if not isinstance(filter, (GdpFilter, RenyiFilter)):
            raise TypeError(f"filter is a {type(filter).__name__}: give the one that the grant has made")
        self._settle(filter, chosen)

    def settle_nothing(self) -> None:
        """Ends a grant that was started and released nothing, not even one step: all of it goes back.

        Only who has started it can know, and the ledger takes their word. Refused to other runs than the one that has
        started it, and if a filter of it has charged a step, as far as this process has seen.
        """
        if self.status == "reserved":
            raise RationError(f"grant '{self.token}' was not started: give it back by Ledger.void")
        if not self._is_ours:
            raise RationError(
                f"grant '{self.token}' was started by another run, which alone knows what it released: resume what it has "
                "saved, or settle everything"
            )
        if self._filter is not None and self._filter.steps > 0:
            raise RationError(f"filter of grant '{self.token}' has seen steps: settle with it")
        self.ledger._core.settle_nothing(self._core)

    def __enter__(self) -> Grant:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if kind is not None or self.status in ("settled", "voided"):
            return
        if self._filter is None and self.status == "reserved":
            self.ledger._core.give_back(self._core)  # nothing can have been released
        else:
            self.settle()

    def __reduce__(self) -> Any:
        raise TypeError("a grant is no value that could be copied: ask the ledger for it with the same request")

    def __repr__(self) -> str:
        return f"<ration.Grant {self.token!r} of {self.people} people, {self.status}>"

    def _step(self, noise: float, clip: float, rate: float) -> tuple[float, float, float]:
        step = checked_step(noise, clip, rate)
        if self.ledger.currency == "gdp" and step[2] < 1:
            raise RationError(f"rate is {rate:g} and the ledger counts in gdp: sampled steps need one in rdp")
        return step

    def _describe(self, core: _core.Filter, step: tuple[float, float, float], chosen: list[int]) -> AnyFilter:
        kind = _FILTERS[self.ledger.currency]
        made: AnyFilter = kind.__new__(kind)
        made._describe(*step)
        made._core = core
        self._filter, self._chosen = made, chosen
        return made

    @property
    def _is_ours(self) -> bool:
        """Was it started by this launch, or by the one that this object goes on with?"""
        return self._was_started_by(self._run)

    def _was_started_by(self, run: str) -> bool:
        return bool(self._core.run == run or self._core.run.endswith(f" {run}"))

    def _begin(self, run: str, words: str = "") -> None:
        """Once more it changes nothing, also if the answer to the first time was lost."""
        name = self._core.run if self._was_started_by(run) else f"{words} {self._object} {run}".lstrip()
        self.ledger._core.start(self._core, name)
        self._run = run

    def _check_open(self) -> None:
        if self.status in ("settled", "voided"):
            raise RationError(f"grant '{self.token}' is {self.status}: take another one with a new token")

    def _continued(self, core: _core.Filter, chosen: list[int], run: str, own: str) -> _core.Filter:
        """A filter that was saved by ``run``, if it said so, to go on with; otherwise that of ``own`` from now on."""
        if not core.holds_all:
            raise RationError(
                f"steps were charged here with grant '{self.token}' that the saved filter does not have: go on with the "
                "filter that has them, or settle everything and take another grant"
            )
        if not run:
            return core if self.status == "started" else self.ledger._core.named(self._core, core, chosen, own)
        ours, self._run = self._run, run
        if self.status == "started" and not self._is_ours:
            self._run = ours
            raise RationError(
                f"the saved filter is of another run than the one that has started grant '{self.token}': give the one that "
                "was saved by that run, or settle everything"
            )
        return core

    def _settle(self, filter: AnyFilter, chosen: list[int]) -> None:
        if filter.steps > 0 and self.status == "reserved":
            raise RationError(
                f"filter has seen steps and grant '{self.token}' was not started: call start() before the first one"
            )
        if filter.steps == 0 and self.status == "started":
            raise RationError(
                f"filter has seen no step, and grant '{self.token}' was started: give the one that was saved at the end, call "
                "settle_nothing() if nothing was released, or settle everything"
            )
        self.ledger._core.settle(self._core, filter._core, chosen)

    def _positions(self, ids: Any) -> list[int]:
        """Of these people among those of the grant; none: all in their order."""
        if ids is None:
            return []
        asked = ids_of("ids", ids)
        if not asked:
            raise RationError("ids are none: give those of the people who take part")
        place = {one: position for position, one in enumerate(self.ids)}
        if any(one not in place for one in asked):
            raise RationError(f"somebody is not among the people of grant '{self.token}': take one with their ids")
        if len(set(asked)) != len(asked):
            raise RationError("somebody is there twice: a person has one budget, however many records they have")
        positions = [place[one] for one in asked]
        return [] if positions == list(range(self.people)) else positions
