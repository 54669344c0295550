"""Takes in what other tools ran and sets their numbers beside certified ones.

``plan_of`` reads Opacus histories and dp_accounting's event trees; ``certify`` says our enclosure of eps
and what the other tool says, side by side.
"""

from .certificate import Certificate, PeerValue, certify
from .history import plan_of

__all__ = ["Certificate", "PeerValue", "certify", "plan_of"]
