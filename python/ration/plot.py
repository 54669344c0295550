"""Pictures of what people have spent, with matplotlib. All of them show private values.

Each function draws into ``ax``, or into a new figure, and returns the axes.

>>> import numpy, ration, ration.plot
>>> accounts = ration.Accounts(1000, noise=1.0, rate=0.01)
>>> accounts.record(numpy.random.default_rng(1).uniform(0, 1, (100, 1000)))
>>> axes = ration.plot.histogram(accounts.epsilon(1e-5), promise=1.0)
>>> axes.get_xlabel()
'eps at delta 1e-05 (upper ends)'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from ._accounts import Accounts
from ._epsilons import Epsilons
from ._plans import compose

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["groups", "histogram", "person_curve"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("ration.plot draws with matplotlib: pip install matplotlib") from missing
    return pyplot.subplots(figsize=(7, 4), layout="constrained")[1]


def histogram(
    epsilons: Epsilons, *, promise: Optional[float] = None, bins: int = 40, ax: Any = None
) -> Any:
    """How many people have which eps, by upper ends; ``promise`` is what everybody is told."""
    if epsilons.size == 0:
        raise ValueError("nobody is in here: a histogram is of people")
    ax = _axes(ax)
    upper = epsilons.upper
    edges = np.linspace(0, max(float(upper.max()), promise or 0.0) or 1.0, bins + 1)
    ax.hist(upper, edges, color="#3567a8", label=f"{upper.size} people")
    if promise is not None:
        ax.axvline(promise, color="#b5402a", linestyle="--", label="what everybody is promised")
    ax.set_xlabel(f"eps at delta {epsilons.delta:g} (upper ends)")
    ax.set_ylabel("people")
    ax.set_title("Individual privacy loss (private)")
    ax.legend()
    return ax


def person_curve(
    accounts: Accounts, person: int, epsilons: npt.ArrayLike, *, ax: Any = None
) -> Any:
    """One person's delta over eps: what their steps, rounded toward more loss, allow anybody to learn."""
    ax = _axes(ax)
    points = np.asarray(epsilons, np.float64)
    plan = accounts.person(person)
    deltas = [compose(plan, epsilon=float(point)).delta.upper if plan else 0.0 for point in points]
    ax.semilogy(points, deltas, color="#3567a8", label=f"person {person}")
    ax.set_xlabel("eps")
    ax.set_ylabel("delta (upper ends)")
    ax.set_title("One person's privacy curve (private)")
    ax.legend()
    return ax


def groups(epsilons: Epsilons, group_of: Sequence[Any], *, ax: Any = None) -> Any:
    """Groups side by side: the middle half of their eps as a box, 5 to 95 of a hundred as whiskers.

    ``group_of`` has a label for each person; groups are drawn in the order of their labels.
    """
    ax = _axes(ax)
    labels = np.asarray(group_of)
    if labels.shape != epsilons.shape:
        raise ValueError(f"group_of has {labels.size} labels: give one for each of the {epsilons.size} people")
    names = np.unique(labels)
    ax.boxplot([epsilons.upper[labels == name] for name in names], whis=(5, 95), showfliers=False)
    ax.set_xticks(range(1, names.size + 1), [str(name) for name in names])
    ax.set_ylabel(f"eps at delta {epsilons.delta:g} (upper ends)")
    ax.set_title("Privacy loss by group (private)")
    return ax
