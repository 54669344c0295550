#include "ration/report/clinical_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ration/report/clinical_claims.h"

namespace ration {
namespace {

constexpr Estimate kRise = {.value = 0.2, .low = 0.1, .high = 0.3};
constexpr Estimate kFall = {.value = -0.2, .low = -0.3, .high = -0.1};
constexpr Estimate kUnclear = {.value = 0.2, .low = -0.1, .high = 0.5};

TEST(ClinicalNumbers, LeastEpsilonHasLeastLossNeedsBothCorrelationsAndTheSameGroup) {
  const Association good = {.train = kRise,
                            .test = kRise,
                            .least_epsilon = 2,
                            .least_train_loss = 2,
                            .least_test_loss = 2};
  EXPECT_TRUE(least_epsilon_has_least_loss(good));
  std::vector<Association> bad(4, good);
  bad[0].train = kUnclear;
  bad[1].test = kFall;
  bad[2].least_train_loss = 1;
  bad[3].least_test_loss = 0;
  for (const Association& one : bad) EXPECT_FALSE(least_epsilon_has_least_loss(one));
}

TEST(ClinicalNumbers, BestGainsAndOthersLoseNeedsEveryGroupInTrainingAndInTest) {
  const LossChanges::Side side = {.changes = {kFall, kRise, kRise, kRise, kRise}, .best = 0};
  EXPECT_TRUE(best_gains_and_others_lose({.train = side, .test = side}));
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    LossChanges::Side unclear = side;
    unclear.changes[g] = kUnclear;
    EXPECT_FALSE(best_gains_and_others_lose({.train = unclear, .test = side}));
    EXPECT_FALSE(best_gains_and_others_lose({.train = side, .test = unclear}));
  }
  LossChanges::Side another_best = side;
  another_best.best = 1;
  EXPECT_FALSE(best_gains_and_others_lose({.train = side, .test = another_best}));
}

TEST(ClinicalNumbers, EpsilonsEvenOutAndLossesPartNeedsAllThreeChanges) {
  const auto found = [](const Estimate& epsilon, const Estimate& train, const Estimate& test) {
    return epsilons_even_out_and_losses_part(
        {.epsilon = {.before = 1, .after = 1, .change = epsilon},
         .train_loss = {.before = 1, .after = 1, .change = train},
         .test_loss = {.before = 1, .after = 1, .change = test}});
  };
  EXPECT_TRUE(found(kFall, kRise, kRise));
  EXPECT_FALSE(found(kUnclear, kRise, kRise));
  EXPECT_FALSE(found(kRise, kRise, kRise));
  EXPECT_FALSE(found(kFall, kUnclear, kRise));
  EXPECT_FALSE(found(kFall, kRise, kFall));
}

TEST(ClinicalNumbers, AGainIsNegligibleIfNoneOfItsIntervalIsWorthHaving) {
  EXPECT_TRUE(is_negligible_at_most({.value = 0.001, .low = -0.001, .high = 0.004}));
  EXPECT_TRUE(is_negligible_at_most(kFall));
  EXPECT_FALSE(is_negligible_at_most({.value = 0.001, .low = -0.001, .high = 0.006}));
  EXPECT_FALSE(is_negligible_at_most(kRise));
}

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
  const std::vector<ClinicalRun> runs = {run, still};
  const auto gains = auc_gains(runs, test, 300);
  const double gain = *evaluate(run.after.test, test).everybody.score -
                      *evaluate(run.before.test, test).everybody.score;
  EXPECT_GT(gain, 0.1);
  const Estimate first = gain_of(gains, 0), second = gain_of(gains, 1), both = mean_gain(gains);
  EXPECT_DOUBLE_EQ(first.value, gain);
  EXPECT_LT(first.low, first.high);
  EXPECT_EQ(second.value, 0);
  EXPECT_EQ(second.low, 0);
  EXPECT_EQ(second.high, 0);
  EXPECT_DOUBLE_EQ(both.value, gain / 2);
}

Resampled<AucGains> certain(const AucGains& gains) {
  return {.observed = gains, .resamples = {gains, gains}};
}

TEST(ClinicalClaims, HoldByTheNumbersInMostRuns) {
  const auto claims =
      best_clip_claims(certain({0.1, 0.001, 0, 0, 0.02}), certain({0.001, 0.02, 0.003}));
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_TRUE(claims[0].held);
  EXPECT_NE(claims[0].finding.find("+0.0010 (+0.0010 to +0.0010)"), std::string::npos);
  EXPECT_NE(claims[0].finding.find("held in 2 of 3 runs"), std::string::npos);
  EXPECT_TRUE(claims[1].held);
  const auto others =
      best_clip_claims(certain({0.1, 0.01, 0, 0, -0.02}), certain({0.01, 0.02, 0.003}));
  EXPECT_FALSE(others[0].held);
  EXPECT_FALSE(others[1].held);
}

TEST(ClinicalClaims, OverallPerformanceIsTheMeanOverClipBounds) {
  EXPECT_TRUE(other_noise_claim(certain({-0.01, 0, 0, 0, 0.02})).held);
  EXPECT_FALSE(other_noise_claim(certain({-0.03, 0, 0, 0, 0.02})).held);
}

TEST(ClinicalClaims, MajoritiesNearTheBudgetAndFarFromIt) {
  ClinicalRun run = made().run;
  run.before.epsilons = std::vector<double>(100, 39);
  EXPECT_TRUE(near_budget_claim(run, 50).held);
  EXPECT_FALSE(far_from_budget_claim(run, 50).held);
  std::fill_n(run.before.epsilons.begin(), 50, 31);  // half of them neither near nor far
  EXPECT_FALSE(near_budget_claim(run, 50).held);
  EXPECT_FALSE(far_from_budget_claim(run, 50).held);
  std::fill_n(run.before.epsilons.begin(), 90, 20);
  EXPECT_TRUE(far_from_budget_claim(run, 50).held);
}

TEST(ClinicalClaims, OfGroupsSayInHowManyRunsTheyHeld) {
  Made m = made();
  // Losses of the best group fall, all others rise: as the paper has it.
  for (std::size_t i = 0; i < 18; ++i) {
    const float change = i < 3 ? -0.25F : 0.5F * static_cast<float>(i / 3);
    m.run.after.train_losses[i] = m.run.before.train_losses[i] + change;
    m.run.after.test.losses[i] = m.run.before.test.losses[i] + change;
    m.run.after.epsilons[i] = m.run.before.epsilons[i] / 2;
  }
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
}

}  // namespace
}  // namespace ration
