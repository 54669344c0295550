"""A certificate: our enclosure of eps, and beside it what the tool says that the history comes from.

The truth lies in ours, rounding included, so that a peer below its lower end promises too much.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, Optional

from .._plans import compose
from .._values import Bound, Privacy
from .history import plan_of
from .peer_values import accountants_for, ask


@dataclass(frozen=True)
class PeerValue:
    """What another accountant says. ``epsilon`` is None where it gave none; ``verdict`` says why."""

    accountant: str
    epsilon: Optional[float]
    verdict: str


@dataclass(frozen=True)
class Certificate:
    """What a history costs at a delta: ``privacy`` is certified, ``peers`` say what they say."""

    privacy: Privacy
    peers: tuple[PeerValue, ...]

    @property
    def epsilon(self) -> Bound:
        return self.privacy.epsilon

    def to_dict(self) -> dict[str, Any]:
        """As ``ration compose --json`` writes it, with the peers besides."""
        return {**self.privacy.to_dict(), "peers": [asdict(peer) for peer in self.peers]}

    def __str__(self) -> str:
        ours = f"epsilon from {_digits(self.epsilon.lower, ROUND_FLOOR)} to {_digits(self.epsilon.upper, ROUND_CEILING)}"
        rows = [("ration", ours), ("", str(self.privacy)), *((p.accountant, _said(p)) for p in self.peers)]
        return "\n".join(f"{name:<18} {text}" for name, text in rows)


def certify(history: Any, delta: float) -> Certificate:
    """Our enclosure of the eps of ``history`` at ``delta``, and the value of the tool it comes from.

    ``history`` is what ``plan_of`` reads. The other tool is asked if it is installed; if it fails, the
    certificate says so.

    >>> certify([(2.0, 0.005, 10_000)], delta=1e-6).epsilon.upper < 1.15018
    True
    """
    privacy = compose(plan_of(history), delta=delta)
    peers = ((name, ask(epsilon_at, delta)) for name, epsilon_at in accountants_for(history).items())
    return Certificate(privacy, tuple(_judge(name, said, privacy.epsilon) for name, said in peers))


def _judge(accountant: str, said: float | str, ours: Bound) -> PeerValue:
    if isinstance(said, str):
        return PeerValue(accountant, None, said)
    return PeerValue(accountant, said, _verdict(said, ours))


def _verdict(epsilon: float, ours: Bound) -> str:
    if epsilon < ours.lower:
        return f"below the truth by at least {_difference(ours.lower, epsilon, ROUND_FLOOR)}"
    if epsilon > ours.upper:
        return f"above the truth by at most {_difference(epsilon, ours.lower, ROUND_CEILING)}"
    return "inside our enclosure"


def _difference(larger: float, smaller: float, rounding: str) -> str:
    """Three digits, rounded to the side that keeps the sentence true."""
    exact = Context(prec=1000).subtract(Decimal(larger), Decimal(smaller))
    return f"{float(Context(prec=3, rounding=rounding).plus(exact)):.3g}"


def _digits(value: float, rounding: str) -> str:
    """Ten digits, on the side that keeps an enclosure one."""
    return str(Context(prec=10, rounding=rounding).create_decimal(value).normalize())


def _said(peer: PeerValue) -> str:
    return peer.verdict if peer.epsilon is None else f"epsilon {peer.epsilon:.10g}: {peer.verdict}"
