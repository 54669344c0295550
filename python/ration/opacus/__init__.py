"""Private training with PyTorch and Opacus, with an account for every person.

``PrivacyEngine`` takes the place of Opacus' own. Everybody is charged at every noisy step, drawn or not, for the bound
that their gradient is clipped to; who has no budget left contributes exactly nothing; nothing visible depends on who
that is. ``privacy_engine.get_epsilon(delta)`` is certified. docs/python-opacus.md

Importing this registers the accountant, so that Opacus' own engine can have it too:
``opacus.PrivacyEngine(accountant="ration")``.
"""

from .accountant import Accountant
from .engine import PrivacyEngine
from .ghost import GhostOptimizer
from .indexed import Indexed
from .optimizer import Optimizer

__all__ = ["Accountant", "GhostOptimizer", "Indexed", "Optimizer", "PrivacyEngine"]
