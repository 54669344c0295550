"""What everybody holds and has spent: the norms that were last measured, accounts, filter, and Opacus' accountant.

A noisy step begins with ``charge``: everybody pays, drawn or not, before anything is released. What it returns is what
each person paid for, and the most that they may contribute: 0 for anyone who was left out. All of it is private.
"""

from __future__ import annotations

import copy
import hashlib
import warnings
from typing import Any, Mapping, Optional, Sequence

import numpy as np
import numpy.typing as npt
import torch

from .. import Accounts, GdpFilter, Grant, RationError, RenyiFilter, TightFilter
from .._filters import AnyFilter
from .._books import admit_and_charge, promised
from .accountant import Accountant
from .granted import Granted

# Measured norms are in float32: a bound is held a little above, so that rounding alone clips nobody.
_ROUNDED_UP = 1 + 2.0**-20


class Books:
    """For ``people`` people, drawn at ``rate``; ``budget`` are the keywords of the filter's budget, perhaps with its
    ``kind``, or a grant, or None.

    ``records``: how many each person has, or None for one each. ``ids``: who they are, which a grant must know.
    """

    def __init__(
        self,
        people: int,
        *,
        noise: float,
        clip: float,
        rate: float,
        budget: Optional[Mapping[str, Any] | Grant],
        accountant: Accountant,
        records: Optional[npt.NDArray[np.int64]] = None,
        ids: Optional[Sequence[str]] = None,
    ) -> None:
        self.people, self.records, self.rate, self.accountant = people, records, rate, accountant
        self._who = None if ids is None else _digest(ids, records)
        self.accounts = Accounts(people, noise=noise, clip=clip, rate=rate)
        self.granted = Granted(budget, ids) if isinstance(budget, Grant) else None
        self.budget = None if budget is None or isinstance(budget, Grant) else _keywords(budget)
        self.filter: Optional[AnyFilter] = None
        if self.granted is not None:
            self.filter = self.granted.filter(noise=noise, clip=clip, rate=rate)
        elif self.budget is not None:
            self.filter = _filter(people, noise, clip, rate, self.budget)
        self.held = np.full(people, np.inf)  # until norms are measured, everybody's bound is the clip bound

    def bounds(self, clip: float) -> npt.NDArray[np.float64]:
        return np.minimum(self.held, clip)

    def hold(self, norms: npt.NDArray[np.float64]) -> None:
        """Everybody's norm was measured anew. One that is not finite holds nothing: its owner pays the full clip."""
        self.held = np.where(np.isfinite(norms), norms * _ROUNDED_UP, np.inf)

    def charge(self, *, noise: float, clip: float) -> npt.NDArray[np.float64]:
        """Everybody's limit for one noisy step, paid for. If anything here is refused, no step may be released."""
        self.check()
        if self.granted is not None:
            self.granted.begin()
        bounds = self.bounds(clip)
        limits = admit_and_charge(self.accounts, self.filter, bounds, noise=noise, clip=clip, rate=self.rate)
        self.accountant.step(noise_multiplier=noise, sample_rate=self.rate)
        return limits

    def check(self) -> None:
        """Accounts, filter and accountant have seen the same steps. A filter may have seen a step that was refused."""
        steps = len(self.accountant)
        if self.accounts.steps != steps or (self.filter is not None and self.filter.steps < steps):
            raise RationError(
                f"accounts have {self.accounts.steps} steps and the accountant has {steps}: load checkpoints into the "
                "optimizer of make_private too, and let nothing else count steps"
            )

    def epsilon(self, delta: float) -> float:
        """What is guaranteed to everybody: the worst case, or with a filter the budget if that is less.

        With a grant this is its limit: what people have left is private, and so is the largest of it.
        """
        self.check()
        worst = self.accountant.get_epsilon(delta)
        return promised(self.filter, worst, delta) if self.granted is None else self.granted.promised(worst, delta)

    def settle(self) -> None:
        """The training has ended: the grant gets back what was not charged."""
        if self.granted is None:
            raise RationError("the training has no grant: give filter=ledger.grant(...) to make_private")
        self.check()
        self.granted.settle(self.filter)

    def state_dict(self) -> dict[str, Any]:
        """Tensors, bytes, text and numbers. Private."""
        return {
            "people": self._who,
            "accounts": self.accounts.state_dict(),
            "filter": None if self.filter is None else self.filter.state_dict(),
            "budget": None if self.budget is None else _tensors(self.budget),
            "grant": None if self.granted is None else self.granted.state_dict(),
            "held": torch.from_numpy(self.held.copy()),
            "accountant": dict(self.accountant.state_dict()),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """All of it or nothing. Refuses other people's state, one under another budget, and one without steps of here."""
        if "accountant" not in state:
            raise RationError("the checkpoint does not say which steps were made: loading it would forget them")
        held = state["held"].numpy().astype(np.float64)
        if held.shape != (self.people,):
            raise RationError(f"the checkpoint is of {held.size} people and here are {self.people}")
        self._check_who(state)
        if not _same(state["budget"], None if self.budget is None else _tensors(self.budget)):
            raise RationError("the checkpoint was made under another budget: give the same filter to make_private")
        accounts = copy.deepcopy(self.accounts)
        accounts.load_state_dict(state["accounts"])
        filter_ = self._loaded_filter(state)
        if any(one is not None and one.people != self.people for one in (accounts, filter_)):
            raise RationError(f"the checkpoint's accounts are of other people than the {self.people} here")
        accountant = copy.deepcopy(self.accountant)
        accountant.load_state_dict(state["accountant"])
        if len(accountant) != accounts.steps or (filter_ is not None and filter_.steps < accounts.steps):
            raise RationError("the checkpoint's accounts are not of the steps that it says were made")
        if self.granted is not None:
            self.granted.go_on(state["grant"], filter_)
        self.accountant.load_state_dict(state["accountant"])
        self.accounts, self.filter, self.held = accounts, filter_, held

    def _check_who(self, state: Mapping[str, Any]) -> None:
        if "people" in state:
            if state["people"] != self._who:
                raise RationError(
                    "the checkpoint is of other people, or of the same in another order or with other records: give the data "
                    "set that it was made with, with the same ids"
                )
        elif self._who is not None:
            warnings.warn("the checkpoint is of an earlier version and does not say whose it is: see that the data set "
                          "has the same people, in the same order, as when it was saved")

    def _loaded_filter(self, state: Mapping[str, Any]) -> Any:
        if (state.get("grant") is None) != (self.granted is None):
            raise RationError("the checkpoint was made under another budget: give the same filter to make_private")
        if self.granted is not None:
            return self.granted.loaded(state["grant"], state["filter"], older="people" not in state)
        filter_ = copy.deepcopy(self.filter)
        if filter_ is not None:
            filter_.load_state_dict(state["filter"])
        return filter_


def _digest(ids: Sequence[str], records: Optional[npt.NDArray[np.int64]]) -> str:
    """Tells people from others, and from the same in another order or with another number of records."""
    digest = hashlib.blake2b(digest_size=32)
    for position, one in enumerate(ids):
        text = one.encode()
        count = 1 if records is None else int(records[position])
        digest.update(len(text).to_bytes(8, "little") + text + count.to_bytes(8, "little"))
    return digest.hexdigest()


def _keywords(budget: Any) -> dict[str, Any]:
    if isinstance(budget, Mapping):
        return dict(budget)
    raise TypeError(
        f"filter is a {type(budget).__name__}: give its budget, as {{'kind': 'tight', 'epsilon': 2.0, 'delta': 1e-5}}, and it "
        "is made for the steps of this training, at the rate that its sampler draws with"
    )


def _filter(people: int, noise: float, clip: float, rate: float, budget: Mapping[str, Any]) -> AnyFilter:
    """By default a Renyi filter under sampling."""
    given = dict(budget)
    kind = given.pop("kind", "gdp" if rate == 1 else "rdp")
    if kind == "gdp" and rate == 1:
        return GdpFilter(people, noise=noise, clip=clip, **given)
    if kind == "rdp":
        return RenyiFilter(people, noise=noise, clip=clip, rate=rate, **given)
    if kind == "tight":
        return TightFilter(people, noise=noise, clip=clip, rate=rate, **given)
    accepted = "gdp or rdp" if rate == 1 else "rdp or tight"
    raise RationError(f"filter kind is {kind!r} and the rate is {rate:g}: give {accepted}")


def _tensors(budget: Mapping[str, Any]) -> dict[str, Any]:
    """What is no number is the kind."""
    return {
        name: value if isinstance(value, str) else torch.as_tensor(np.asarray(value, np.float64))
        for name, value in budget.items()
    }


def _same(one: Optional[Mapping[str, Any]], other: Optional[Mapping[str, Any]]) -> bool:
    if one is None or other is None:
        return one is other
    return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    return torch.equal(one, other)
