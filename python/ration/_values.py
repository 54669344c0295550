"""What results are made of: numbers with both ends, and what they are worth."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING, Context
from typing import Any, NamedTuple


class Bound(NamedTuple):
    """The truth lies between ``lower`` and ``upper``, rounding included.

    As *the* value take the upper end, which is what ``float`` gives; of what may be spent (``ration.mu``) the lower.

    >>> Bound(0.25, 0.5).upper
    0.5
    >>> float(Bound(0.25, 0.5))
    0.5
    """

    lower: float
    upper: float

    def __float__(self) -> float:
        return self.upper

    def to_dict(self) -> dict[str, float]:
        """``{"lower": ..., "upper": ...}``, as the program writes it."""
        return self._asdict()


@dataclass(frozen=True)
class Guarantee:
    """What a result is worth.

    ``adaptive``: it holds for steps chosen in view of earlier outputs, as long as together they cannot come to more;
    else they are fixed in advance.
    ``certified``: the Bound includes every numerical error; else it is an approximation.
    """

    theorem: str
    adaptive: bool
    certified: bool
    neighbours: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Privacy:
    """What a plan costs: the smallest eps at a delta, or the smallest delta at an eps."""

    epsilon: Bound
    delta: Bound
    direction: str
    method: str
    guarantee: Guarantee

    def to_dict(self) -> dict[str, Any]:
        """As ``ration compose --json`` writes it."""
        return {
            "epsilon": self.epsilon.to_dict(),
            "delta": self.delta.to_dict(),
            "direction": self.direction,
            "method": self.method,
            "guarantee": self.guarantee.to_dict(),
        }

    def __str__(self) -> str:
        kind = "certified" if self.guarantee.certified else "approximate"
        when = "steps may be adaptive within these" if self.guarantee.adaptive else "steps fixed in advance"
        return (
            f"({_up(self.epsilon.upper)}, {_up(self.delta.upper)})-DP by {self.method}"
            f" ({kind}; {when}; {self.guarantee.neighbours})"
        )


def _up(value: float) -> str:
    """Six digits, rounded up; fewer where the number has no more."""
    return f"{float(_SIX_DIGITS_UP.create_decimal(repr(value))):.6g}"


_SIX_DIGITS_UP = Context(prec=6, rounding=ROUND_CEILING)
