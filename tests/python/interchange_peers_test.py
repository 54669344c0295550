"""What other tools ran is read as it was run, or refused by name; a certificate never spares a peer."""

import math

import pytest

import ration
from ration.interchange import PeerValue, certify, plan_of

dp = pytest.importorskip("dp_accounting.dp_event")
accountants = pytest.importorskip("opacus.accountants")

HISTORY = [(1.0, 0.01, 500), (2.0, 0.02, 100)]


def sampled(noise, rate):
    return dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(noise))


def opacus_accountant(mechanism, history):
    accountant = accountants.create_accountant(mechanism)
    for noise, rate, steps in history:
        for _ in range(steps):
            accountant.step(noise_multiplier=noise, sample_rate=rate)
    return accountant


def test_an_accountant_its_history_and_its_state_are_the_same_plan():
    accountant = opacus_accountant("rdp", HISTORY)
    plan = [ration.Gaussian(1.0, 0.01, 500), ration.Gaussian(2.0, 0.02, 100)]
    assert plan_of(accountant) == plan_of(accountant.history) == plan_of(accountant.state_dict()) == plan


def test_an_event_tree_and_an_opacus_history_of_the_same_steps_are_the_same_plan():
    tree = dp.ComposedDpEvent([dp.SelfComposedDpEvent(sampled(noise, rate), steps) for noise, rate, steps in HISTORY])
    assert plan_of(tree) == plan_of(HISTORY)


def test_nested_self_composition_multiplies():
    inner = dp.ComposedDpEvent([dp.GaussianDpEvent(3.0), dp.SelfComposedDpEvent(sampled(1.0, 0.1), 5)])
    assert plan_of(dp.SelfComposedDpEvent(inner, 7)) == [ration.Gaussian(3.0, steps=7), ration.Gaussian(1.0, 0.1, 35)]


def test_an_operation_without_effect_costs_nothing():
    tree = dp.ComposedDpEvent([dp.NoOpDpEvent(), dp.GaussianDpEvent(2.0), sampled(1.0, 0.5), dp.NoOpDpEvent()])
    assert plan_of(tree) == [ration.Gaussian(2.0), ration.Gaussian(1.0, 0.5)]
    assert plan_of(dp.PoissonSampledDpEvent(0.5, dp.NoOpDpEvent())) == []


def test_sampling_everybody_is_no_sampling():
    assert plan_of(sampled(2.0, 1.0)) == plan_of(dp.GaussianDpEvent(2.0)) == plan_of([(2.0, 1.0, 1)])


def test_laplace_noise_has_the_same_scale_in_both():
    # One step of scale 2 is (1/2)-DP and no better: the loss is exactly 1/2 half of the time and more.
    assert plan_of(dp.SelfComposedDpEvent(dp.LaplaceDpEvent(2.0), 3)) == [ration.Laplace(2.0, steps=3)]
    assert certify(dp.LaplaceDpEvent(2.0), delta=1e-9).epsilon.lower == pytest.approx(0.5, abs=1e-2)


@pytest.mark.parametrize(
    "event",
    [
        dp.UnsupportedDpEvent(),
        dp.DiscreteLaplaceDpEvent(1.0, 1),
        dp.ZCDpEvent(0.1),
        dp.RandomizedResponseDpEvent(0.5, 2),
        dp.SingleEpochTreeAggregationDpEvent(1.0, 4),
        dp.RepeatAndSelectDpEvent(dp.GaussianDpEvent(1.0), 1.0, 1.0),
        dp.MixtureOfGaussiansDpEvent(1.0, [1.0], [1.0]),
        dp.SampledWithReplacementDpEvent(10, 2, dp.GaussianDpEvent(1.0)),
        dp.SampledWithoutReplacementDpEvent(10, 2, dp.GaussianDpEvent(1.0)),
        dp.TruncatedSubsampledGaussianDpEvent(100, 0.1, 20, 1.0),
    ],
    ids=lambda event: type(event).__name__,
)
def test_an_event_that_is_not_understood_is_refused_by_its_name_wherever_it_stands(event):
    for tree in (event, dp.SelfComposedDpEvent(event, 2), dp.ComposedDpEvent([dp.GaussianDpEvent(1.0), event])):
        with pytest.raises(ration.RationError, match=type(event).__name__):
            plan_of(tree)


def test_an_event_of_somebody_elses_is_refused_by_its_name():
    class GaussianLikeDpEvent(dp.DpEvent):
        noise_multiplier = 1.0

    with pytest.raises(ration.RationError, match="GaussianLikeDpEvent"):
        plan_of(GaussianLikeDpEvent())


@pytest.mark.parametrize(
    "inner",
    [
        dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), 2),
        dp.ComposedDpEvent([dp.GaussianDpEvent(1.0), dp.GaussianDpEvent(2.0)]),
        dp.LaplaceDpEvent(1.0),
        sampled(1.0, 0.5),
    ],
    ids=lambda event: type(event).__name__,
)
def test_a_sample_that_is_used_for_more_than_one_gaussian_step_is_refused_by_name(inner):
    with pytest.raises(ration.RationError, match=f"PoissonSampledDpEvent over {type(inner).__name__}"):
        plan_of(dp.PoissonSampledDpEvent(0.1, inner))


def test_a_sampled_composition_of_a_single_step_is_that_step():
    alone = dp.ComposedDpEvent([dp.NoOpDpEvent(), dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.5), 1)])
    assert plan_of(dp.PoissonSampledDpEvent(0.1, alone)) == plan_of(sampled(1.5, 0.1))


def test_what_is_not_private_is_refused_as_infinite():
    for history in (dp.NonPrivateDpEvent(), dp.GaussianDpEvent(0.0), sampled(0.0, 0.1), [(0.0, 0.1, 1)]):
        with pytest.raises(ration.RationError, match="epsilon is infinite"):
            plan_of(history)


@pytest.mark.parametrize("count", [0, -1, 2.5, math.nan, math.inf, 10**16])
def test_a_count_that_is_none_is_refused(count):
    for history in (dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), count), [(1.0, 0.1, count)]):
        with pytest.raises(ration.RationError, match="give a whole number from 1 to 1e15"):
            plan_of(history)


def test_two_negative_counts_do_not_make_a_positive_one():
    twice = dp.SelfComposedDpEvent(dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), -3), -1)
    with pytest.raises(ration.RationError, match="count is -1"):
        plan_of(twice)


def test_a_history_without_steps_is_refused():
    for nothing in ([], opacus_accountant("prv", []), dp.NoOpDpEvent()):
        with pytest.raises(ration.RationError, match="no steps"):
            certify(nothing, delta=1e-5)


@pytest.mark.parametrize("mechanism", ["rdp", "prv", "gdp"])
def test_a_certificate_holds_the_value_of_the_accountant_that_was_given(mechanism):
    accountant = opacus_accountant(mechanism, [(1.0, 0.01, 300)])
    for history in (accountant, accountant.state_dict()):
        (peer,) = certify(history, delta=1e-5).peers
        assert peer.accountant == f"opacus {mechanism}"
        assert peer.epsilon == accountant.get_epsilon(1e-5)


def test_sound_peers_are_never_called_below_the_truth():
    tree = dp.SelfComposedDpEvent(sampled(1.0, 0.01), 1000)
    pld, rdp = certify(tree, delta=1e-5).peers
    assert (pld.accountant, rdp.accountant) == ("dp_accounting PLD", "dp_accounting RDP")
    assert pld.verdict.startswith("above the truth by at most")
    assert rdp.verdict.startswith("above the truth by at most 0.274")


def test_a_peer_below_the_truth_is_called_so():
    # The truth is 1.8282...; the central limit theorem says 1.6177.
    (gdp,) = certify(opacus_accountant("gdp", [(1.0, 0.01, 1000)]), delta=1e-5).peers
    assert gdp.epsilon < 1.62
    assert gdp.verdict == "below the truth by at least 0.21"


def test_our_own_accountant_lies_inside_our_enclosure():
    from ration.opacus import Accountant

    accountant = Accountant()
    accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    (peer,) = certify(accountant, delta=1e-5).peers
    assert peer == PeerValue("opacus ration", accountant.get_epsilon(1e-5), "inside our enclosure")


def test_a_peer_that_fails_is_a_finding_not_an_exception():
    for mechanism, entry, delta in (("prv", (1.0, 0.01, 10), 1e-200), ("gdp", (0.1, 1.0, 100), 1e-5)):
        (peer,) = certify(opacus_accountant(mechanism, [entry]), delta=delta).peers
        assert peer.epsilon is None
        assert peer.verdict.startswith("gave no number: ")


def test_a_peer_that_says_infinity_gave_no_number():
    pld, _ = certify(dp.SelfComposedDpEvent(sampled(1.0, 0.01), 10), delta=1e-20).peers
    assert pld == PeerValue("dp_accounting PLD", None, "gave no number: inf")


def test_the_verdict_turns_at_the_ends_of_our_enclosure():
    class Constant(accountants.RDPAccountant):
        """An accountant of somebody's own."""

        def get_epsilon(self, delta):
            return self.epsilon

    def verdict(epsilon):
        accountant = Constant()
        accountant.history, accountant.epsilon = [(2.0, 1.0, 1)], epsilon
        return certify(accountant, delta=1e-5).peers[0].verdict

    lower, upper = ration.compose(ration.Gaussian(2.0), delta=1e-5).epsilon
    assert verdict(lower) == verdict(upper) == "inside our enclosure"
    assert verdict(math.nextafter(lower, 0)).startswith("below the truth by at least ")
    assert verdict(math.nextafter(upper, 9)).startswith("above the truth by at most ")
    assert verdict(math.nan) == "gave no number: nan"


def test_a_certificate_prints_and_turns_into_plain_data():
    certificate = certify(opacus_accountant("rdp", [(1.0, 0.01, 1000)]), delta=1e-5)
    data = certificate.to_dict()
    assert data["epsilon"] == {"lower": certificate.epsilon.lower, "upper": certificate.epsilon.upper}
    assert data["guarantee"]["certified"] is True
    assert data["peers"][0]["accountant"] == "opacus rdp"
    for text in ("1.828236", "opacus rdp", "epsilon 2.10", "above the truth by at most 0.274"):
        assert text in str(certificate)
