"""Our enclosure meets what every other accountant claims, or the disagreement is listed with its reason.

The list is disagreements.csv; docs/peers.md says for each reason who is right and why.
"""

import pathlib

import pytest
import ration
from dp_accounting import dp_event, pld
from dp_accounting.privacy_accountant import NeighboringRelation

from accountants import ACCOUNTANTS
from extended_precision import use_extended_precision
from known import known, listed, reasons
from plans import shared_plans
from survey import disagreements, survey
from tables import printed
from truth import delta_at

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "peers.md"
JUDGED = [row.disagreement for row in listed() if row.judged]


def is_rounding(disagreement):
    return disagreement.kind.endswith("by rounding")


@pytest.fixture(scope="module")
def answers():
    found = survey()
    print("\n" + printed(found))
    return found


@pytest.fixture(scope="module")
def claims(answers):
    return {(str(a.plan), a.accountant): a.claim for a in answers}


@pytest.fixture(scope="module")
def found(answers):
    return disagreements(answers)


@pytest.fixture(scope="module")
def plans():
    return {str(plan): plan for plan in shared_plans()}


def test_at_least_200_different_plans_are_shared(plans):
    assert len(plans) >= 200


def test_we_answer_every_plan(plans, claims):
    assert [plan for plan in plans if claims[plan, "ration"] is None] == []


def test_no_claim_misses_our_enclosure_unless_it_is_listed(found):
    assert sorted({d for d in found if not is_rounding(d)} - set(known())) == []


def test_no_disagreement_is_listed_that_has_vanished(found):
    assert sorted({d for d in known() if not is_rounding(d)} - set(found)) == []


def test_rounding_is_still_seen_on_listed_plans(found):
    # Not on all: on another processor some of it falls on other plans.
    assert any(d in found for d in known() if is_rounding(d))


@pytest.mark.parametrize("judged", JUDGED, ids=lambda d: f"{d.plan}, {d.accountant}")
def test_a_third_computation_says_that_the_peer_is_wrong_and_we_are_right(judged, plans, claims, found):
    if is_rounding(judged) and judged not in found:
        pytest.skip("on this processor rounding spares this plan")
    plan, theirs, ours = plans[judged.plan], claims[judged.plan, judged.accountant], claims[judged.plan, "ration"]
    # Right is whose eps has the delta that was asked for.
    if judged.kind.startswith("below"):
        assert delta_at(plan, theirs.upper) > plan.delta * (1 + 1e-6)
    else:
        assert delta_at(plan, theirs.lower) < plan.delta * (1 - 1e-6)
    assert delta_at(plan, ours.lower) >= plan.delta * (1 - 1e-9)
    assert delta_at(plan, ours.upper) <= plan.delta * (1 + 1e-9)


@pytest.mark.parametrize("judged", filter(is_rounding, JUDGED), ids=lambda d: f"{d.plan}, {d.accountant}")
def test_with_a_transform_in_extended_precision_the_peer_agrees(judged, plans, claims, monkeypatch):
    use_extended_precision(monkeypatch)
    theirs, ours = ACCOUNTANTS[judged.accountant](plans[judged.plan]), claims[judged.plan, "ration"]
    assert theirs.lower <= ours.upper and ours.lower <= theirs.upper


def test_dp_accounting_pld_counts_repeated_randomised_response_once():
    # docs/peers.md tells of it. We refuse the event, so that no shared plan can show it.
    answer = dp_event.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=2)
    once, often = (
        pld.PLDAccountant(NeighboringRelation.REPLACE_ONE)
        .compose(dp_event.SelfComposedDpEvent(answer, count))
        .get_epsilon(1e-9)
        for count in (1, 10)
    )
    assert once == often < 1.1
    assert ration.compose(ration.RandomisedResponse(truth=0.75, steps=10), delta=1e-9).epsilon.lower > 10.9


@pytest.mark.parametrize("reason", sorted(reasons()))
def test_each_reason_and_each_plan_is_in_the_docs(reason):
    page = DOCS.read_text()
    assert f"### {reason}\n" in page
    assert [d for d in reasons()[reason] if f"| {d.plan} | {d.accountant} |" not in page] == []
