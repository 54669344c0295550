#include "ration/control/worst_adversary.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ration/base/error.h"
#include "ration/compose/compose.h"
#include "tests/oracle/random.h"
#include "tests/refusal.h"

namespace ration {
namespace {

constexpr Units kWhole = PriceList::kWholeStep;

SubsampledGaussian step_of(double noise, double rate) { return {.noise = noise, .rate = rate}; }

double tight(double noise, double rate, std::uint64_t steps, double delta) {
  return compose({entry({.noise = noise, .rate = rate, .steps = static_cast<double>(steps)})},
                 delta)
      .epsilon.upper;
}

// One list for the tests that follow: facts, section 5, second row.
const WorstAdversary& second_row() {
  static const WorstAdversary adversary(
      price_list({.step = step_of(1, 0.01), .tilt = 6.48, .last_steps = 12}), 1000, 1e-5);
  return adversary;
}

TEST(WorstAdversary, IsWithinThreePercentOfTightWhereRenyiLosesFifteen) {
  const Units budget = 1000 * kWhole;
  const Bound epsilon = second_row().epsilon(1e-5, budget);
  EXPECT_GE(epsilon.upper, 1.8282366);
  EXPECT_LE(epsilon.upper, 1.03 * 1.8282366);
  for (const double ratio : {2.0, 2.9, 4.0, 11.0, 16.0}) {
    const std::uint64_t steps = second_row().list().steps_for(step_of(ratio, 0.01), budget);
    EXPECT_LE(epsilon.upper, 1.045 * tight(ratio, 0.01, steps, 1e-5)) << ratio;
  }
}

TEST(WorstAdversary, ItemisesErrorsThatAreASmallPartOfDelta) {
  const AdversaryErrors errors = second_row().errors(1.87, 1000 * kWhole);
  const double delta = second_row().delta(1.87, 1000 * kWhole).upper;
  EXPECT_GT(errors.parts.between, 0);
  EXPECT_GT(errors.parts.quadrature, 0);
  EXPECT_GT(errors.parts.rounding, 0);
  EXPECT_GT(errors.parts.slack, 0);
  EXPECT_GT(errors.wrap, 0);
  EXPECT_LT(errors.numerical(), WorstAdversary::kMostError * delta);
}

TEST(WorstAdversary, LargestBudgetKeepsItsPromiseAndTheNextOneDoesNot) {
  const WorstAdversary& adversary = second_row();
  const Units units = adversary.largest_budget(1.6, 1e-5);
  ASSERT_GT(units, 600 * kWhole);
  EXPECT_LE(adversary.delta(1.6, units).upper, 1e-5);
  EXPECT_GT(adversary.delta(1.6, units + units / 128).upper, 1e-5);
}

TEST(WorstAdversary, WorthGrowsWithTheBudgetAndKeepsItsPromise) {
  const std::vector<BudgetWorth> worth = second_row().worth(1e-5);
  ASSERT_GT(worth.size(), 50u);
  EXPECT_EQ(worth.back().units, 1000 * kWhole);
  double before = 0;
  for (const auto& [units, epsilon] : worth) {
    EXPECT_GE(epsilon, before);
    before = epsilon;
    EXPECT_GE(epsilon, tight(1, 0.01, units / kWhole, 1e-5));
  }
}

TEST(WorstAdversary, RefusesWhatItCannotShow) {
  expect_refusal([] { second_row().delta(1.8, 1001 * kWhole); }, {"units", "budget"});
  // Far from the eps that the grid was made for, delta drowns in errors.
  EXPECT_THROW(second_row().delta(12, 1000 * kWhole), OutOfReach);
  expect_refusal(
      [] { WorstAdversary(price_list({.step = step_of(1, 0.01), .tilt = 6.5}), 3, 1e-5); },
      {"steps"});
}

TEST(WorstAdversary, NearTheEndIsTheTightComposition) {
  for (const Units units : {0 * kWhole, 3 * kWhole + 5, 12 * kWhole}) {
    const Bound epsilon = second_row().epsilon(1e-5, units);
    if (units < kWhole) {
      EXPECT_EQ(epsilon.upper, 0);
    } else {
      EXPECT_DOUBLE_EQ(epsilon.upper, tight(1, 0.01, units / kWhole, 1e-5));
    }
  }
}

TEST(WorstAdversary, GrowsWithTheBudgetAndFallsWithEpsilon) {
  EXPECT_TRUE(rc::check([] {
    const auto units = static_cast<Units>(*rc::gen::inRange(880, 980)) * kWhole;
    const double epsilon = 1.6 + *rc::gen::inRange(0, 25) / 100.0;
    const WorstAdversary& adversary = second_row();
    const Bound delta = adversary.delta(epsilon, units);
    RC_ASSERT(delta.upper <= adversary.delta(epsilon, units + 10 * kWhole).upper * 1.001);
    RC_ASSERT(delta.upper >= adversary.delta(epsilon + 0.05, units).upper);
    RC_ASSERT(delta.upper >= delta.lower);
  }));
}

// Whoever can choose among more, at the same prices, reaches no less than any plan that the list
// admits.
TEST(WorstAdversary, IsNotBelowPlansThatItsListAdmits) {
  oracle::Random random(17);
  for (int round = 0; round < 6; ++round) {
    const double noise = random.uniform(0.9, 1.9), rate = random.uniform(0.01, 0.05);
    const double ratio = random.uniform(1.2, 3);
    const Units parts = static_cast<Units>(random.uniform(1, 6));
    const PriceList list(
        {{step_of(noise, rate), kWhole}, {step_of(noise * ratio, rate), kWhole / parts}}, 16);
    const double rich = WorstAdversary(list, 200, 1e-4).epsilon(1e-4, 200 * kWhole).upper;
    EXPECT_GE(rich, tight(noise, rate, 200, 1e-4) * (1 - 1e-9));
    const double plan = compose({entry({.noise = noise * ratio,
                                        .rate = rate,
                                        .steps = 180.0 * static_cast<double>(parts)}),
                                 entry({.noise = noise, .rate = rate, .steps = 20})},
                                1e-4)
                            .epsilon.lower;
    EXPECT_GE(rich, plan);
  }
}

// A search decides about usefulness: more steps for the population than prices for large norms, and
// little lost at the clip bound.
TEST(BestRule, LetsAPopulationTakeMoreStepsAtLittleCostToTheClipBound) {
  const PriceRule start{.step = step_of(1.0777, 0.02), .tilt = 1, .per_doubling = 4};
  const PriceRule found = best_rule(start, 300, 1e-5);
  struct Outcome {
    double epsilon, log_steps;
  };
  const auto outcome = [&](double tilt) -> Outcome {
    PriceRule rule = found;
    rule.tilt = tilt;
    const PriceList list = price_list(rule);
    const double epsilon = WorstAdversary(list, 300, 1e-5).epsilon(1e-5, 300 * kWhole).upper;
    double sum = 0;
    for (const double ratio : {1, 2, 4, 8}) {
      const auto steps = list.steps_for(step_of(ratio * 1.0777, 0.02), 300 * kWhole);
      sum += std::log(static_cast<double>(steps)) / 4;
    }
    return {epsilon, sum - 2 * std::log(epsilon)};
  };
  const Outcome best = outcome(found.tilt);
  EXPECT_GT(best.log_steps, outcome(0.25 * found.tilt).log_steps);
  EXPECT_LT(best.epsilon, 1.04 * tight(1.0777, 0.02, 300, 1e-5));
  const std::string text = refusal([&] { best_rule(start, 300, 1e-5, {.ratios = {0.5}}); });
  EXPECT_NE(text.find("ratio is 0.5"), std::string::npos) << text;
}

}  // namespace
}  // namespace ration
