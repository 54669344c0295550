"""Closed forms: the reference numbers of docs/math/gdp.md, and arrays that say the same as numbers."""

import math

import numpy as np
import pytest

import ration

# Computed in 30 digits.
MU = {
    (1, 1e-5): 0.2680511232112942,
    (8, 1e-5): 1.666030597845718,
    (50, 1e-6): 6.385986778952409,
    (0.01, 1e-9): 0.002180984661044349,
    (1000, 1e-12): 38.25701234999586,
}


@pytest.mark.parametrize("target", MU)
def test_mu_of_a_budget_encloses_the_reference(target):
    epsilon, delta = target
    found = ration.mu(epsilon=epsilon, delta=delta)
    assert found.lower <= MU[target] * (1 + 1e-15) and found.upper >= MU[target] * (1 - 1e-15)
    assert found.upper - found.lower <= 1e-10 * MU[target]


def test_arrays_say_what_numbers_say():
    mus = np.geomspace(1e-3, 10, 50)
    deltas = np.geomspace(1e-12, 1e-2, 40)
    table = ration.epsilon(mu=mus[:, None], delta=deltas)
    assert table.shape == (50, 40) and table.dtype.names == ("lower", "upper")
    for i, j in [(0, 0), (20, 13), (49, 39)]:
        one = ration.epsilon(mu=mus[i], delta=deltas[j])
        assert table["lower"][i, j] <= one.upper and one.lower <= table["upper"][i, j]


def test_delta_at_the_eps_of_a_delta_is_that_delta():
    epsilon = ration.epsilon(mu=0.7, delta=1e-6)
    assert ration.delta(mu=0.7, epsilon=epsilon.upper).lower <= 1e-6 <= ration.delta(mu=0.7, epsilon=epsilon.lower).upper
    assert (ration.delta(mu=[0.7], epsilon=[epsilon.upper])["lower"] <= 1e-6).all()


def test_refusals_are_value_errors_with_the_sentences_of_the_program():
    with pytest.raises(ration.RationError, match="^mu is -1: give 0 or a number from 1e-300 to 20000$"):
        ration.epsilon(mu=-1, delta=1e-5)
    with pytest.raises(ValueError, match="delta is nan"):
        ration.epsilon(mu=1, delta=math.nan)
    with pytest.raises(ValueError, match="1"):  # with its place
        ration.epsilon(mu=[1.0, -1.0], delta=1e-5)


def test_attack_numbers_are_those_of_the_trade_off_function():
    # By symmetry the curve passes through (Phi(-mu/2), Phi(-mu/2)).
    fixed = 0.5 * math.erfc(0.5 / math.sqrt(2))
    rate = ration.true_positive_rate(mu=1.0, false_positive_rate=fixed)
    assert rate.lower <= 1 - fixed + 1e-15 and rate.upper >= 1 - fixed - 1e-15
    gap = ration.advantage(mu=1.0)
    assert gap.lower <= 1 - 2 * fixed + 1e-15 and gap.upper >= 1 - 2 * fixed - 1e-15


def test_a_bound_is_a_pair_and_counts_as_its_upper_end():
    lower, upper = bound = ration.Bound(1.0, 2.0)
    assert (lower, upper) == (1.0, 2.0) and float(bound) == 2.0
    assert bound.to_dict() == {"lower": 1.0, "upper": 2.0}
