"""Everybody's budgets, across runs and teams: what outlives a run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Sequence

import numpy as np

from . import _core
from ._arguments import ids_of, number_of, text_of
from ._currencies import one_step
from ._filters import _kinds
from ._grants import Grant
from ._plans import Gaussian
from ._state import checked_step
from ._values import Bound

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, repr=False)
class Person:
    """What one person has, as eps at the ledger's delta. Squares of mu add up, epsilons do not. Private."""

    budget: Bound
    spent: Bound
    reserved: Bound
    left: Bound

    def __repr__(self) -> str:
        return "<a person's budget, spent, reserved and left as eps; private>"


class GrantEntry(NamedTuple):
    """A line of the list of grants and one-off queries. Nothing private."""

    token: str
    team: str
    purpose: str
    query: bool
    status: str
    time: str
    limit: Optional[Bound]  # as eps for each person; None: all that they had


class HistoryEntry(NamedTuple):
    """One change of a ledger, as a link of its chain. Nothing private."""

    number: int
    kind: str
    time: str
    token: str
    hash: str


class Ledger:
    """Everybody's budgets in a database that outlives runs, for all who use their data. docs/ledger.md

    Nobody's spends and reserves together ever exceed their budget, whoever asks, in whatever order, and whichever
    process is killed. A token names each request: asked again with the same request it gives the first answer and
    charges nothing, with another request it is refused. Two processes may use one ledger; threads wait for each other.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger.create(folder.name + "/clinic.ledger", ids=["P-1", "P-2"], epsilon=3, delta=1e-5)
    >>> ledger
    <ration.Ledger of 2 people in gdp, eps at delta 1e-05>
    >>> ledger.admit(token="mean stay", norms=[1.0, 0.2], noise=4.0).tolist()
    [True, True]
    >>> with ledger.grant(token="imaging 1", team="imaging", epsilon=1.5) as grant:
    ...     filter = grant.filter(noise=40)
    ...     grant.start("node 7")
    ...     takes_part = [filter.admit([1.0, 0.5]) for step in range(100)]
    >>> grant
    <ration.Grant 'imaging 1' of 2 people, settled>
    >>> person = ledger.person("P-2")
    >>> person.spent.upper < 1.0 < 2.8 < person.left.lower
    True
    >>> folder.cleanup()
    """

    def __init__(self, core: _core.Ledger) -> None:
        """Take ``Ledger.create`` or ``Ledger.open``."""
        if not isinstance(core, _core.Ledger):
            raise TypeError("a ledger is made by Ledger.create, and opened by Ledger.open")
        self._core = core

    @classmethod
    def create(
        cls,
        location: str | os.PathLike[str],
        *,
        ids: Any,
        delta: float,
        currency: str = "gdp",
        epsilon: Optional[npt.ArrayLike] = None,
        mu: Optional[npt.ArrayLike] = None,
        shape: Optional[Gaussian] = None,
        orders: Sequence[float] = (),
    ) -> Ledger:
        """A new one for people with these ids, any texts or whole numbers. Eps are told at ``delta``.

        Budgets: ``epsilon`` or ``mu``, one for all or an array with one for each person. ``currency``: ``gdp`` for steps
        in which everybody takes part, ``rdp`` also for sampled steps, at ``orders``. Under ``rdp`` a budget of
        epsilon is spread over the orders along the curve of ``shape``, a step such as ``Gaussian(noise=1, rate=0.01)``; by
        default of a Gaussian at rate 1, which suits sampled steps of much noise alone.

        ``location``: a file (it gets mode 0600; on a local disk), or the address of a database.
        """
        at = number_of("delta", delta)
        listed = [number_of("an order", order) for order in orders]
        kinds = _kinds(*_budgets(epsilon, mu, shape, at))
        where = text_of("location", os.fspath(location))
        return cls(_core.Ledger.create(where, text_of("currency", currency), listed, at, _some(ids), *kinds))

    @classmethod
    def open(cls, location: str | os.PathLike[str]) -> Ledger:
        """One that is there. Refuses what is no ledger."""
        return cls(_core.Ledger.open(text_of("location", os.fspath(location))))

    @property
    def currency(self) -> str:
        return self._core.currency

    @property
    def delta(self) -> float:
        """At which every eps is told."""
        return self._core.delta

    @property
    def people(self) -> int:
        return int(self._core.people)

    @property
    def head(self) -> str:
        """The hash of the last change. Keep heads elsewhere: an old copy lacks those that were seen since."""
        return self._core.head

    def contains(self, head: str) -> bool:
        """Has this ledger ever had that head? If not, it is another one, or an old copy that has forgotten spends."""
        return self._core.contains(text_of("head", head))

    def add(
        self,
        ids: Any,
        *,
        epsilon: Optional[npt.ArrayLike] = None,
        mu: Optional[npt.ArrayLike] = None,
        shape: Optional[Gaussian] = None,
    ) -> None:
        """People who are new, with budgets of their own as for ``create``. Nobody's budget is ever filled up again."""
        self._core.add(_some(ids), *_kinds(*_budgets(epsilon, mu, shape, self.delta)))

    def set_quota(
        self,
        team: str,
        *,
        epsilon: Optional[float] = None,
        mu: Optional[float] = None,
        shape: Optional[Gaussian] = None,
    ) -> None:
        """What a team may take of each person's budget, from the first day on."""
        self._core.set_quota(text_of("team", team), _budget(epsilon, mu, shape, self.delta))

    def ids(self) -> list[str]:
        """Everybody's, in their order. Private."""
        return self._core.ids()

    def person(self, id: str | int) -> Person:
        """What one person has, for the owner. Private."""
        return Person(*(Bound(*ends) for ends in self._core.person(ids_of("id", [id])[0])))

    def grants(self) -> list[GrantEntry]:
        """All grants and one-off queries. Nothing private."""
        rows = self._core.grants()
        return [GrantEntry(*row[:-1], None if row[-1] is None else Bound(*row[-1])) for row in rows]

    def history(self) -> list[HistoryEntry]:
        """Every change. Nothing private."""
        return [HistoryEntry(*row) for row in self._core.history()]

    def verify(self) -> None:
        """Goes through every link, list and account, and raises an error that says what is broken."""
        self._core.verify()

    def grant(
        self,
        *,
        token: str,
        team: str = "",
        purpose: str = "",
        epsilon: Optional[float] = None,
        mu: Optional[float] = None,
        shape: Optional[Gaussian] = None,
        ids: Any = None,
    ) -> Grant:
        """Reserves for a run: of each person ``epsilon`` or ``mu``, or what they have left if that is less.

        Without a limit it takes all that they have. ``ids``: of whom; by default of everybody. After a crash the same
        request gives the same grant.
        """
        limitless = epsilon is None and mu is None and shape is None
        limit = None if limitless else _budget(epsilon, mu, shape, self.delta)
        asked = None if ids is None else _some(ids)
        reasons = text_of("team", team), text_of("purpose", purpose)
        core = self._core.grant(text_of("token", token), *reasons, limit, asked or [])
        return Grant(self, core, token, asked, limit)

    def admit(
        self,
        *,
        token: str,
        norms: npt.ArrayLike,
        noise: float,
        clip: float = 1.0,
        rate: float = 1.0,
        ids: Any = None,
        team: str = "",
        purpose: str = "",
    ) -> npt.NDArray[np.bool_]:
        """A noisy sum that is released once: who takes part in it. Private.

        Takes norms before clipping, of everybody or of the people of ``ids``. Those whose charge fits into what they have
        left are charged; the others must contribute nothing. When it returns, the charge is on the disk: release after.
        """
        reasons = text_of("team", team), text_of("purpose", purpose)
        step = checked_step(noise, clip, rate)
        asked = [] if ids is None else _some(ids)
        return self._core.admit(text_of("token", token), *reasons, *step, asked, one_step(norms))

    def void(self, token: str) -> None:
        """Gives back a grant that was not started. The record of it stays."""
        self._core.void(text_of("token", token))

    def settle_everything(self, token: str) -> None:
        """Ends a grant of which nobody knows any more what it charged: all of it is spent."""
        self._core.settle_everything(text_of("token", token))

    def __repr__(self) -> str:
        return f"<ration.Ledger of {self.people} people in {self.currency}, eps at delta {self.delta:g}>"


def _some(ids: Any) -> list[str]:
    """An empty list is nobody, and never everybody."""
    listed = ids_of("ids", ids)
    if not listed:
        raise _core.RationError("ids are none: give at least one")
    return listed


def _budgets(
    epsilon: Optional[npt.ArrayLike], mu: Optional[npt.ArrayLike], shape: Optional[Gaussian], delta: float
) -> tuple[npt.NDArray[np.float64], Callable[[float], _core.Budget]]:
    """The values given, one or several, and what makes a budget of each."""
    if (epsilon is None) == (mu is None):
        raise TypeError("a budget is one number for each person: give epsilon or mu")
    if shape is not None and epsilon is None:
        raise TypeError("shape is that of a budget of epsilon: mu has one of its own")
    if mu is not None:
        return np.asarray(mu, np.float64), _core.mu_budget
    along = () if shape is None else (number_of("noise", shape.noise), number_of("rate", shape.rate))
    return np.asarray(epsilon, np.float64), lambda eps: _core.epsilon_budget(eps, delta, *along)


def _budget(
    epsilon: Optional[float], mu: Optional[float], shape: Optional[Gaussian], delta: float
) -> _core.Budget:
    given = [None if one is None else number_of(name, one) for name, one in (("epsilon", epsilon), ("mu", mu))]
    value, make = _budgets(given[0], given[1], shape, delta)
    return make(float(value))
