#include "paper/clinical_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "paper/clinical_claims.h"

namespace ration::paper {
namespace {

// Three people in each group; group g's values start at 10 g, and everybody's grow by g + 1.
struct Made {
  ClinicalGroups groups;
  ClinicalRun run;
};
Made made() {
  Made m = {.groups = {},
            .run = {.plan = clinical_plan({}, kClinicalTargets[0], 1),
                    .clip_multiple = 1,
                    .budget = 40,
                    .epochs = {},
                    .before = {},
                    .after = {}}};
  for (std::uint32_t i = 0; i < 18; ++i) {
    const std::uint32_t g = i / 3;  // the last are in no group
    for (Groups* groups : {&m.groups.train, &m.groups.test}) groups->of_person.push_back(g);
    const double start = 10 * g + i % 3, growth = g + 1;
    m.run.before.epsilons.push_back(start);
    m.run.after.epsilons.push_back(start + growth);
    m.run.before.train_losses.push_back(static_cast<float>(start / 2));
    m.run.after.train_losses.push_back(static_cast<float>((start + growth) / 2));
    m.run.before.test.losses.push_back(static_cast<float>(start / 4));
    m.run.after.test.losses.push_back(static_cast<float>((start - growth) / 4));
  }
  return m;
}

TEST(ClinicalNumbers, GroupMomentsAreMeansOfTheirPeople) {
  const Made m = made();
  const auto moments = group_moments(m.run, m.groups, 200);
  EXPECT_EQ(moments.observed.before.epsilon, (PerGroup{1, 11, 21, 31, 41}));
  EXPECT_EQ(moments.observed.after.epsilon, (PerGroup{2, 13, 24, 35, 46}));
  EXPECT_EQ(moments.observed.before.train_loss, (PerGroup{0.5, 5.5, 10.5, 15.5, 20.5}));
  EXPECT_EQ(moments.observed.after.test_loss, (PerGroup{0, 2.25, 4.5, 6.75, 9}));
  // Resamples stay within their groups.
  const Estimate third =
      estimate(moments, [](const GroupMoments& one) { return one.before.epsilon[2]; });
  EXPECT_GE(third.low, 20);
  EXPECT_LE(third.high, 22);
  EXPECT_LT(third.low, third.high);
}

TEST(ClinicalNumbers, ChangesAreOfTheSamePeople) {
  const Made m = made();
  const auto moments = group_moments(m.run, m.groups, 200);
  const LossChanges changes = loss_changes(moments);
  EXPECT_EQ(changes.train.best, 0U);
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    const double growth = static_cast<double>(g + 1);
    for (const double end : {changes.train.changes[g].low, changes.train.changes[g].high}) {
      EXPECT_NEAR(end, growth / 2, 1e-9);
    }
    EXPECT_NEAR(changes.test.changes[g].value, -growth / 4, 1e-9);
  }
  const Association found = association(moments);
  EXPECT_EQ(found.train.value, 1);
  EXPECT_EQ(found.least_epsilon, 0U);
  const Spreads spread = spreads(moments);
  EXPECT_EQ(spread.epsilon.before, 40);
  EXPECT_EQ(spread.epsilon.after, 44);
  EXPECT_NEAR(spread.epsilon.change.low, 4, 1e-9);  // from the first group's 1 to the fifth's 5
  EXPECT_NEAR(spread.epsilon.change.high, 4, 1e-9);
  EXPECT_EQ(spread.test_loss.after - spread.test_loss.before, -1);
}

TEST(ClinicalNumbers, ShareAboveCountsWhoIsAbovePartOfTheBudget) {
  Made m = made();
  m.run.before.epsilons = {39, 38.1, 38, 10};  // of 40: two of four are above 95%
  const Estimate share = share_above(0.95, m.run, 400);
  EXPECT_EQ(share.value, 0.5);
  EXPECT_EQ(share.low, 0);  // of four resampled people nobody, once in 16 times
  EXPECT_EQ(share.high, 1);
}

// Two labels; outputs are what the test sets.
TEST(ClinicalNumbers, AucGainsAreTheDifferencesOfEvaluations) {
  const People test = {.features = {.rows = 5, .columns = 0, .values = {}},
                       .labels = {LabelKind::many, {"a", "b"}, {1, 0, 0, 1, 1, 1, 0, 0, 0, 1}},
                       .groups = {}};
  ClinicalRun run = made().run;
  run.before.test = {.outputs = {1, 2, 2, 1, 3, 2, 1, 3, 2, 4}, .losses = std::vector<float>(5)};
  run.after.test = {.outputs = {4, 1, 2, 2, 3, 3, 1, 2, 2, 3}, .losses = std::vector<float>(5)};
  ClinicalRun still = run;
  still.after = still.before;
  still.clip_multiple = 5;
  const std::vector<ClinicalRun> runs = {run, still};
  const ClipGains gains = clip_gains(runs, test, 300);
  const double gain = *evaluate(run.after.test, test).everybody.score -
                      *evaluate(run.before.test, test).everybody.score;
  EXPECT_GT(gain, 0.1);
  const auto first = gains_at(gains, 1), second = gains_at(gains, 5);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_DOUBLE_EQ(first[0].value, gain);
  EXPECT_LT(first[0].low, first[0].high);
  EXPECT_EQ(second[0].value, 0);
  EXPECT_EQ(second[0].low, 0);
  EXPECT_EQ(second[0].high, 0);
  EXPECT_DOUBLE_EQ(overall_gain(gains).value, gain / 2);
}

// The gains of each run, the same for all people: the multiple, and what its runs gained.
using OfMultiples = std::vector<std::pair<double, std::vector<double>>>;
ClipGains certain(const OfMultiples& all) {
  ClipGains gains;
  for (const auto& [multiple, of_runs] : all) {
    for (const double gain : of_runs) {
      gains.multiples.push_back(multiple);
      gains.gains.observed.push_back(gain);
    }
  }
  gains.gains.resamples.assign(400, gains.gains.observed);
  return gains;
}

TEST(ClinicalNumbers, TheMeanGainIsOverClipBoundsAndItsIntervalHoldsTheNoiseOfRuns) {
  const ClipGains gains = certain({{0.5, {0.1}}, {1, {0, 0.03, 0.06}}, {5, {0.2}}});
  const Estimate overall = overall_gain(gains);
  EXPECT_NEAR(overall.value, (0.1 + 0.03 + 0.2) / 3, 1e-15);
  // The middle one goes from 0 to 0.06, once in 27 times each.
  EXPECT_NEAR(overall.low, (0.1 + 0 + 0.2) / 3, 0.005);
  EXPECT_NEAR(overall.high, (0.1 + 0.06 + 0.2) / 3, 0.005);
  EXPECT_LT(overall.low, overall.value);
  EXPECT_GT(overall.high, overall.value);
}

const OfMultiples kAsThePaperSays = {
    {0.5, {0.001}}, {1, {0.001, -0.02, 0.003}}, {1.5, {0.002}}, {3, {0}}, {5, {0.02, 0.03, 0}}};

// With one multiple's gains changed.
std::vector<Claim> claims_with(double multiple, const std::vector<double>& gains) {
  OfMultiples all = kAsThePaperSays;
  for (auto& [each, of_runs] : all) {
    if (each == multiple) of_runs = gains;
  }
  return paper_noise_claims(certain(all));
}
std::vector<bool> verdicts(const std::vector<Claim>& claims) {
  std::vector<bool> held;
  for (const Claim& claim : claims) held.push_back(claim.held);
  return held;
}

TEST(ClinicalClaims, HoldByTheNumbersInMostRuns) {
  const auto claims = paper_noise_claims(certain(kAsThePaperSays));
  EXPECT_EQ(verdicts(claims), (std::vector{true, true, true}));
  EXPECT_NE(claims[0].finding.find("+0.0010 (+0.0010 to +0.0010)"), std::string::npos);
  EXPECT_NE(claims[0].finding.find("held in 2 of 3 runs"), std::string::npos);
  EXPECT_NE(claims[1].finding.find("+0.0200 (+0.0200 to +0.0200)"), std::string::npos);
}

// Each multiple decides what is said of it, and nothing else: gains that change places change the
// verdicts.
TEST(ClinicalClaims, EachIsJudgedByItsOwnClipBound) {
  EXPECT_EQ(verdicts(claims_with(1, {0.02, 0.03, 0})), (std::vector{false, true, false}));
  EXPECT_EQ(verdicts(claims_with(5, {0.001, -0.02, 0.003})), (std::vector{true, false, true}));
  for (const double nearer : {0.5, 1.5, 3.0}) {
    EXPECT_EQ(verdicts(claims_with(nearer, {0.006})), (std::vector{true, true, false})) << nearer;
    EXPECT_EQ(verdicts(claims_with(nearer, {-0.1})), (std::vector{true, true, true})) << nearer;
  }
  const auto named = claims_with(3, {0.006})[2];
  EXPECT_NE(named.finding.find("not certain to stay below that at 3x."), std::string::npos)
      << named.finding;
}

TEST(ClinicalClaims, ALossIsNotNegligibleEither) {
  EXPECT_FALSE(claims_with(1, {-0.006, -0.006, -0.02})[0].held);
  EXPECT_TRUE(claims_with(1, {-0.004, -0.004, -0.02})[0].held);
}

TEST(ClinicalClaims, OverallPerformanceIsTheMeanOverClipBounds) {
  const auto claim = [](double half, double five) {
    return other_noise_claim(
        certain({{0.5, {half}}, {1, {0, 0}}, {1.5, {0}}, {3, {0}}, {5, {five, five}}}));
  };
  EXPECT_TRUE(claim(-0.01, 0.02).held);
  EXPECT_FALSE(claim(-0.03, 0.02).held);
  EXPECT_NE(claim(-0.01, 0.02).finding.find("the 2 runs of 5x"), std::string::npos);
}

TEST(ClinicalClaims, MajoritiesNearTheBudgetAndFarFromIt) {
  ClinicalRun run = made().run;
  const auto held = [&](double clip_multiple) {
    run.clip_multiple = clip_multiple;
    return budget_share_claim({&run, 1}, 50).held;
  };
  run.before.epsilons = std::vector<double>(100, 39);
  EXPECT_TRUE(held(1));
  EXPECT_FALSE(held(5));
  std::fill_n(run.before.epsilons.begin(), 50, 31);  // half of them neither near nor far
  EXPECT_FALSE(held(1));
  EXPECT_FALSE(held(5));
  std::fill_n(run.before.epsilons.begin(), 90, 20);
  EXPECT_FALSE(held(1));
  EXPECT_TRUE(held(5));
}

TEST(ClinicalClaims, SharesOfTheBudgetAreJudgedInEveryRun) {
  std::vector<ClinicalRun> runs(3, made().run);
  for (ClinicalRun& run : runs) run.before.epsilons = std::vector<double>(100, 39);
  runs[0].before.epsilons = std::vector<double>(100, 1);
  const Claim claim = budget_share_claim(runs, 50);
  EXPECT_TRUE(claim.held);
  EXPECT_EQ(claim.evidence.size(), 3U);
  EXPECT_NE(claim.finding.find("In the first run 0.0%"), std::string::npos) << claim.finding;
  EXPECT_NE(claim.finding.find("held in 2 of 3 runs"), std::string::npos) << claim.finding;
}

// Losses of the best group fall, all others rise, and epsilons come together.
Made as_the_paper_says() {
  Made m = made();
  for (std::size_t i = 0; i < 18; ++i) {
    const float change = i < 3 ? -0.25F : 0.5F * static_cast<float>(i / 3);
    m.run.after.train_losses[i] = m.run.before.train_losses[i] + change;
    m.run.after.test.losses[i] = m.run.before.test.losses[i] + change;
    m.run.after.epsilons[i] = m.run.before.epsilons[i] / 2;
  }
  return m;
}

TEST(ClinicalClaims, OfGroupsSayInHowManyRunsTheyHeld) {
  const Made m = as_the_paper_says();
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  const auto good = group_moments(m.run, m.groups, 100);
  const auto bad = group_moments(made().run, m.groups, 100);
  const std::vector most = {good, bad, good};
  for (const Claim& claim : group_claims(most, names)) EXPECT_TRUE(claim.held) << claim.finding;
  const std::vector few = {good, bad};
  const auto claims = group_claims(few, names);
  ASSERT_EQ(claims.size(), 3U);
  EXPECT_TRUE(claims[0].held);  // epsilons and losses go together in both
  EXPECT_FALSE(claims[1].held);
  EXPECT_NE(claims[1].finding.find("held in 1 of 2 runs"), std::string::npos);
  EXPECT_FALSE(claims[2].held);
  EXPECT_EQ(claims[0].evidence.size(), 2U * 4);
  EXPECT_EQ(claims[1].evidence.size(), 2U * 10);
  EXPECT_EQ(claims[2].evidence.size(), 2U * 3);
}

// One group at a time does what the paper does not say.
TEST(ClinicalClaims, OfGroupsNeedEveryGroupInTrainingAndInTest) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    for (const bool in_test : {false, true}) {
      Made m = as_the_paper_says();
      for (std::size_t i = 3 * g; i < 3 * g + 3; ++i) {
        (in_test ? m.run.after.test.losses : m.run.after.train_losses)[i] =
            (in_test ? m.run.before.test.losses : m.run.before.train_losses)[i] +
            (g == 0 ? 0.25F : -0.25F);
      }
      const std::vector runs = {group_moments(m.run, m.groups, 100)};
      EXPECT_FALSE(group_claims(runs, names)[1].held) << g << in_test;
    }
  }
  Made m = as_the_paper_says();
  for (std::size_t i = 0; i < 3; ++i) m.run.before.test.losses[i] = 100;  // the largest by far
  const std::vector runs = {group_moments(m.run, m.groups, 100)};
  EXPECT_FALSE(group_claims(runs, names)[0].held);
}

}  // namespace
}  // namespace ration::paper
