"""Pictures show the numbers that were asked for."""

import doctest

import numpy as np
import pytest

import ration

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from ration import plot  # noqa: E402

DELTA = 1e-5


@pytest.fixture(scope="module")
def accounts():
    accounts = ration.Accounts(200, noise=2.0)
    accounts.record(np.tile(np.linspace(0, 1, 200), (10, 1)))
    return accounts


def test_every_person_is_in_the_histogram_and_the_promise_is_where_it_is(accounts):
    spent = accounts.epsilon(DELTA)
    axes = plot.histogram(spent, promise=9.0)
    assert sum(bar.get_height() for bar in axes.patches) == 200
    assert axes.lines[0].get_xdata()[0] == 9.0
    assert "private" in axes.get_title()


def test_a_person_curve_is_the_curve_of_their_plan(accounts):
    axes = plot.person_curve(accounts, 199, [0.5, 1.0, 2.0])
    drawn = axes.lines[0].get_ydata()
    mu = np.sqrt(10) / 2
    for point, delta in zip([0.5, 1.0, 2.0], drawn):
        truth = ration.delta(mu=mu, epsilon=point)
        assert truth.lower <= delta <= truth.upper * (1 + 1e-9)


def test_groups_are_drawn_by_their_own_people(accounts):
    spent = accounts.epsilon(DELTA)
    axes = plot.groups(spent, np.repeat(["b", "a"], 100))
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b"]
    level = {(np.mean(line.get_xdata()), line.get_ydata()[0]) for line in axes.lines if np.ptp(line.get_ydata()) == 0}
    assert {(1, np.median(spent.upper[100:])), (2, np.median(spent.upper[:100]))} <= level
    with pytest.raises(ValueError, match="one for each of the 200 people"):
        plot.groups(spent, ["a"])


def test_pictures_are_not_empty(accounts, tmp_path):
    from matplotlib import image

    plot.histogram(accounts.epsilon(DELTA)).figure.savefig(tmp_path / "h.png")
    assert len(np.unique(image.imread(tmp_path / "h.png").reshape(-1, 4), axis=0)) > 10


def test_the_example_runs():
    assert doctest.testmod(plot).failed == 0
