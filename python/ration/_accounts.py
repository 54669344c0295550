"""One account per person."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional, Sequence, Union

from . import _core
from ._arguments import indices_of, norms_of, number_of, whole_of
from ._epsilons import Epsilons
from ._ids import Ids
from ._plans import Gaussian
from ._state import Stateful
from ._values import Guarantee

if TYPE_CHECKING:
    import numpy.typing as npt


class Accounts(Stateful):
    """What every person has spent, filled step by step. Private.

    ``noise`` is the noise's standard deviation divided by ``clip``, ``rate`` the probability with which
    each person is drawn. Under sampling everybody is charged at every step for the contribution they would
    make, drawn or not.

    >>> import numpy as np
    >>> accounts = Accounts(3, noise=2.0, clip=1.0)
    >>> for step in range(10):
    ...     accounts.record(np.array([1.0, 0.5, 0.1]))
    >>> spent = accounts.epsilon(1e-5)
    >>> spent
    <eps of 3 people at delta 1e-05 by gdp, certified; private>
    >>> spent.upper.round(3)
    array([7.511, 3.341, 0.561])

    People may have ``ids``, text or whole numbers, and then go by them:

    >>> accounts = Accounts(ids=["P-17", "P-4"], noise=2.0)
    >>> accounts.record({"P-4": 0.5})
    >>> round(accounts.epsilon(1e-5).of("P-4").upper, 3)
    0.926
    """

    _core_class = _core.Accounts
    _kind = _saved_kind = "accounts"
    _ids: Optional[Ids] = None

    def __init__(
        self,
        people: Optional[int] = None,
        *,
        ids: Optional[Iterable[Union[str, int]]] = None,
        noise: float,
        clip: float = 1.0,
        rate: float = 1.0,
        buckets: int = 256,
    ) -> None:
        self._describe(noise, clip, rate)
        if ids is not None:
            self._ids = Ids(ids)
        elif people is None:
            raise TypeError("Accounts needs the number of people, or their ids")
        count = len(self._ids.listed) if self._ids else 0
        if people is not None and self._ids and whole_of("people", people) != count:
            raise ValueError(f"people is {people}: give the number of ids, {count}, or leave it out")
        self._core = _core.Accounts(
            whole_of("people", count if people is None else people), self.noise, whole_of("buckets", buckets)
        )

    @property
    def ids(self) -> Optional[list[str]]:
        """Everybody's id as text, in order, if people have ids. Private."""
        return list(self._ids.listed) if self._ids else None

    def record(
        self,
        norms: Union[npt.ArrayLike, Mapping[Any, float]],
        *,
        people: Optional[npt.ArrayLike] = None,
        ids: Optional[Iterable[Union[str, int]]] = None,
        noise: Optional[float] = None,
        clip: Optional[float] = None,
        rate: Optional[float] = None,
    ) -> None:
        """Charges one step, or with a table of norms (steps x people) many.

        Norms above the clip bound count as the clip bound. With ``people``, by their places, or ``ids`` only those
        listed pay, as with a dictionary of norms by id: nobody is listed twice. At a rate below 1 these are all who *could* have been drawn, never those who were: the
        rate counts on everybody paying. ``noise``, ``clip`` and ``rate`` describe this step if it is unlike the others; less
        noise than the accounts were made for is refused under sampling. After a refusal nobody has been
        charged. Arrays of float32 and float64 are read where they lie.
        """
        step = self._step(noise, clip, rate)
        if isinstance(norms, Mapping):
            if ids is not None:
                raise TypeError("norms are by id already: leave ids out")
            ids, norms = norms.keys(), list(norms.values())
        array = norms_of(norms)
        if ids is not None:
            if people is not None:
                raise TypeError("people and ids say the same: give one of them")
            people = self._known().places(ids)
        if people is None:
            if array.ndim not in (1, 2):
                raise ValueError(f"norms have {array.ndim} dimensions: give people, or steps x people")
            self._core.record(*step, array)
        else:
            if array.ndim != 1:
                raise ValueError(f"norms have {array.ndim} dimensions: give one norm for each of the people listed")
            self._core.record_some(*step, indices_of(people), array)

    def epsilon(
        self,
        delta: float,
        method: Optional[str] = None,
        *,
        orders: Sequence[float] = (),
        progress: Optional[Callable[[int], Any]] = None,
    ) -> Epsilons:
        """Everybody's eps at ``delta``, on all cores.

        ``method``: ``pld`` (tight), ``rdp`` (what filters charge by; at ``orders``, if given), ``gdp`` (exact,
        without sampling) or ``blackwell`` (the paper's approximation). By default ``gdp`` where nobody was
        sampled, else ``pld``. ``progress`` is told how many people are done.

        It is what these norms cost if they were fixed in advance. If they followed from earlier outputs, what is
        guaranteed is the worst case, or the budget of a filter.
        """
        at, listed = number_of("delta", delta), [number_of("an order", order) for order in orders]
        values, used, guarantee = self._core.epsilons(at, None if method is None else str(method), listed, progress)
        return Epsilons._of(values, at, used, Guarantee(*guarantee), self._ids)

    def person(self, person: Union[int, str]) -> list[Gaussian]:
        """What one person took part in, rounded toward more loss: a plan for ``compose``. Private.

        Where people have ids, ``person`` is one of these, else a place.

        >>> accounts = Accounts(1, noise=4.0, rate=0.5)
        >>> accounts.record([[1.0], [1.0]])
        >>> accounts.person(0)
        [Gaussian(noise=4.0, rate=0.5, steps=2)]
        """
        place = self._ids.place(person) if self._ids else whole_of("person", person)
        plan = self._core.person(place)
        return [Gaussian(noise, rate, int(steps)) for noise, rate, steps in plan]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a state file (mode 0600, replaced in one move), ids included, that the C++ library reads too."""
        self._core.save_with(os.fspath(path), self.ids or [])

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, noise: float, clip: float, rate: float) -> Accounts:
        """What was saved goes on as it would have, bit for bit. Refuses a damaged file.

        A state file holds what was spent; the steps to come are described again, in full: norms that were
        recorded under another clip bound would cost something else.
        """
        made = cls.__new__(cls)
        made._describe(noise, clip, rate)
        made._core, ids = _core.Accounts.load_with(os.fspath(path), cls._saved_kind)
        made._ids = Ids(ids) if ids else None
        return made

    def state_dict(self) -> dict[str, Any]:
        """Plain values and bytes, for ``torch.save`` and the like. Private."""
        ids = {} if self._ids is None else {"ids": self.ids}
        return {**super().state_dict(), **ids}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes the place of what is here, ids included. Refuses another kind, and state that is damaged."""
        ids = Ids(state["ids"]) if "ids" in state else None
        taken = Accounts.__new__(Accounts)
        Stateful.load_state_dict(taken, state)
        if ids is not None and len(ids.listed) != taken.people:
            raise ValueError(f"state_dict has {len(ids.listed)} ids: give one for each of its {taken.people} people")
        taken._ids = ids
        self.__dict__.update(vars(taken))

    def _known(self) -> Ids:
        if self._ids is None:
            raise TypeError("these people have no ids: make Accounts with ids=")
        return self._ids
