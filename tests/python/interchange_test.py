"""Histories are read as they were run, or refused with a sentence, whether or not the tools are installed."""

import math
import subprocess
import sys

import pytest

import ration
from ration.interchange import certify, plan_of

HISTORY = [(1.0, 0.01, 500), (2.0, 0.02, 100)]


def test_a_list_and_a_state_are_the_same_plan():
    plan = [ration.Gaussian(1.0, 0.01, 500), ration.Gaussian(2.0, 0.02, 100)]
    assert plan_of(HISTORY) == plan_of({"history": HISTORY, "mechanism": "rdp"}) == plan


def test_a_certificate_needs_none_of_the_tools():
    # In a process of its own, where they cannot be imported.
    program = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['opacus', 'torch', 'dp_accounting', 'scipy']))\n"
        "import ration\n"
        "certificate = ration.certify([(1.0, 0.01, 1000)], delta=1e-5)\n"
        "assert 1.82823 < certificate.epsilon.lower <= certificate.epsilon.upper < 1.82824\n"
        "assert all(p.epsilon is None and p.verdict.startswith('not asked: ') for p in certificate.peers)\n"
        "assert len(certificate.peers) == 2\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("steps", [0, -1, 2.5, math.nan, math.inf, 10**16])
def test_steps_that_are_no_count_are_refused(steps):
    with pytest.raises(ration.RationError, match="give a whole number from 1 to 1e15"):
        plan_of([(1.0, 0.1, steps)])


def test_steps_without_noise_are_refused_as_infinite():
    with pytest.raises(ration.RationError, match="epsilon is infinite"):
        plan_of([(0.0, 0.1, 1)])


def test_like_steps_are_counted_together_wherever_they_stand():
    assert plan_of([(1.0, 0.1, 3), (2.0, 0.1, 1), (1.0, 0.1, 4)]) == [
        ration.Gaussian(1.0, 0.1, 7),
        ration.Gaussian(2.0, 0.1, 1),
    ]


@pytest.mark.parametrize("entry", [(1e-9, 0.1, 1), (1.0, 0.0, 1), (1.0, 1.5, 1), (math.nan, 0.1, 1), (-1.0, 0.1, 1)])
def test_values_out_of_range_get_the_sentence_of_the_core(entry):
    with pytest.raises(ration.RationError, match="give a (number|probability) from"):
        certify([entry], delta=1e-5)


@pytest.mark.parametrize("entry", [(1.0, 0.1), "abc", 5, (1.0, 0.1, 1, 1)])
def test_an_entry_that_is_none_is_refused_by_its_place(entry):
    with pytest.raises(ration.RationError, match="entry 1 of the history"):
        plan_of([(1.0, 0.1, 1), entry])


@pytest.mark.parametrize("history", [5, "history", None, object(), [("1.0", 0.1, 1)], [(1.0, True, 1)]])
def test_what_is_no_history_is_a_type_error(history):
    with pytest.raises(TypeError, match="give"):
        plan_of(history)


def test_a_state_without_history_is_refused():
    with pytest.raises(ration.RationError, match="state_dict"):
        plan_of({"mechanism": "rdp"})


def test_the_enclosure_is_that_of_compose():
    plan = [ration.Gaussian(*entry) for entry in HISTORY]
    assert certify(HISTORY, delta=1e-6).privacy == ration.compose(plan, delta=1e-6)


@pytest.mark.parametrize("steps", [1, 7, 139, 500])
def test_printed_ends_enclose_what_is_certified(steps):
    certificate = ration.certify([(1.0, 0.01, steps)], delta=1e-5)
    words = str(certificate).splitlines()[0].split()
    lower, upper = float(words[words.index("from") + 1]), float(words[words.index("to") + 1])
    assert lower <= certificate.epsilon.lower and certificate.epsilon.upper <= upper
