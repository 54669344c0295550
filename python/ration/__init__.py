"""Ration: a privacy budget for every person in a data set.

Certified numbers: every eps, delta and mu is a ``Bound`` with both ends, rounding included.

>>> import ration
>>> ration.compose(ration.Gaussian(noise=2, rate=0.005, steps=10_000), delta=1e-6).epsilon.upper < 1.15018
True

``Accounts`` says what each person has spent, ``GdpFilter``, ``RenyiFilter`` and ``TightFilter`` who must be left out,
``GdpOdometer``, ``RenyiOdometer`` and ``TightOdometer`` which of some fixed levels each has reached; a ``Ledger`` keeps
budgets across runs; ``ration.opacus`` trains with PyTorch and Opacus, ``ration.plot`` draws with matplotlib, ``certify``
checks other tools. What is said of single people is private.
"""

from ._accounts import Accounts
from ._closed_forms import advantage, delta, epsilon, mu, true_positive_rate
from ._core import RationError
from ._core import version as __version__
from ._epsilons import Epsilons
from ._filters import GdpFilter, RenyiFilter, TightFilter
from ._grants import Grant
from ._ledger import Ledger
from ._odometers import GdpOdometer, RenyiOdometer, TightOdometer
from ._plans import (
    DiscretePair,
    Gaussian,
    Laplace,
    RandomisedResponse,
    calibrate_noise,
    calibrate_rate,
    calibrate_steps,
    compose,
)
from ._values import Bound, Guarantee, Privacy
from .interchange import Certificate, certify

RationError.__module__ = __name__

__all__ = [
    "Accounts",
    "Bound",
    "Certificate",
    "DiscretePair",
    "Epsilons",
    "Gaussian",
    "GdpFilter",
    "GdpOdometer",
    "Grant",
    "Guarantee",
    "Laplace",
    "Ledger",
    "Privacy",
    "RandomisedResponse",
    "RationError",
    "RenyiFilter",
    "RenyiOdometer",
    "TightFilter",
    "TightOdometer",
    "__version__",
    "advantage",
    "calibrate_noise",
    "calibrate_rate",
    "calibrate_steps",
    "certify",
    "compose",
    "delta",
    "epsilon",
    "mu",
    "true_positive_rate",
]
