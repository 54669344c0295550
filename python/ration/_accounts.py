"""One account per person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence

from . import _core
from ._arguments import indices_of, norms_of, number_of, whole_of
from ._epsilons import Epsilons
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
    """

    _core_class = _core.Accounts
    _kind = _saved_kind = "accounts"

    def __init__(
        self, people: int, *, noise: float, clip: float = 1.0, rate: float = 1.0, buckets: int = 256
    ) -> None:
        self._describe(noise, clip, rate)
        self._core = _core.Accounts(whole_of("people", people), self.noise, whole_of("buckets", buckets))

    def record(
        self,
        norms: npt.ArrayLike,
        *,
        people: Optional[npt.ArrayLike] = None,
        noise: Optional[float] = None,
        clip: Optional[float] = None,
        rate: Optional[float] = None,
    ) -> None:
        """Charges one step, or with a table of norms (steps x people) many.

        Norms above the clip bound count as the clip bound. With ``people`` only those listed pay: nobody is
        listed twice. At a rate below 1 these are all who *could* have been drawn, never those who were: the
        rate counts on everybody paying. ``noise``, ``clip`` and ``rate`` describe this step if it is unlike the others; less
        noise than the accounts were made for is refused under sampling. After a refusal nobody has been
        charged. Arrays of float32 and float64 are read where they lie.
        """
        step = self._step(noise, clip, rate)
        array = norms_of(norms)
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
        return Epsilons._of(values, at, used, Guarantee(*guarantee))

    def person(self, person: int) -> list[Gaussian]:
        """What one person took part in, rounded toward more loss: a plan for ``compose``. Private.

        >>> accounts = Accounts(1, noise=4.0, rate=0.5)
        >>> accounts.record([[1.0], [1.0]])
        >>> accounts.person(0)
        [Gaussian(noise=4.0, rate=0.5, steps=2)]
        """
        plan = self._core.person(whole_of("person", person))
        return [Gaussian(noise, rate, int(steps)) for noise, rate, steps in plan]
