#include "ration/compose/accountants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ration/base/error.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/composition.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

Plan sampled(double rate, double noise, double steps) {
  return {entry({.noise = noise, .rate = rate, .steps = steps})};
}
bool meet(const Bound& a, const Bound& b) { return a.lower <= b.upper && b.lower <= a.upper; }

// Facts, section 3, both directions.
struct TightRow {
  double rate, noise, steps, delta, epsilon;
};
class FourierTable : public testing::TestWithParam<TightRow> {};
TEST_P(FourierTable, LiesWithinTheStatedBound) {
  const auto [rate, noise, steps, delta, epsilon] = GetParam();
  const Privacy found = fourier::at_delta(sampled(rate, noise, steps), delta);
  EXPECT_TRUE(contains(found.epsilon, epsilon));
  EXPECT_LE(width(found.epsilon), kDefaultAccuracy);
  EXPECT_EQ(found.direction, Direction::remove);
}
INSTANTIATE_TEST_SUITE_P(Facts, FourierTable,
                         testing::Values(TightRow{0.005, 2, 10000, 1e-6, 1.1501786607954},
                                         TightRow{0.005, 2, 10000, 1e-5, 1.00411265},
                                         TightRow{0.01, 1, 1000, 1e-5, 1.82823666651658}));

TEST(Fourier, EnclosesTheExactGaussian) {
  oracle::Random random(1);
  for (int i = 0; i < 30; ++i) {
    const Plan plan = {entry({.noise = random.log_uniform(3, 300),
                              .rate = 1,
                              .steps = std::floor(random.log_uniform(1, 300))})};
    const double delta = random.log_uniform(1e-100, 1e-2);
    const Bound found = fourier::at_delta(plan, delta).epsilon;
    EXPECT_TRUE(meet(found, gaussian::at_delta(plan, delta).epsilon)) << i;
    EXPECT_LE(width(found), kDefaultAccuracy) << i;
  }
}

// Randomised response is a binomial sum: k answers, j of them true.
Arb response_truth(double truth, int k, double epsilon) {
  const Arb p = truth, q = Arb(1) - p;
  Arb sum = 0, choose = 1;
  const auto power = [](const Arb& x, int n) {
    Arb result = 1;
    for (int i = 0; i < n; ++i) result = result * x;
    return result;
  };
  for (int j = 0; j <= k; ++j) {
    const Arb here = choose * power(p, j) * power(q, k - j);
    const Arb gain = here - oracle::exp(epsilon) * choose * power(q, j) * power(p, k - j);
    if (gain > Arb(0)) sum = sum + gain;
    choose = choose * Arb(k - j) / Arb(j + 1);
  }
  return sum;
}
TEST(Fourier, EnclosesRandomisedResponseAsABinomialSum) {
  for (const double truth : {0.51, 0.6, 0.75, 0.9}) {
    for (const int k : {1, 2, 7, 60}) {
      const Plan plan = {{RandomisedResponse{.truth = truth}, static_cast<double>(k)}};
      const double most = k * std::log(truth / (1 - truth));
      for (const double share : {0.1, 0.5, 0.9}) {
        const Bound delta = fourier::at_epsilon(plan, share * most).delta;
        EXPECT_TRUE(oracle::encloses(delta, response_truth(truth, k, share * most)))
            << truth << " " << k << " " << share;
      }
    }
  }
}

TEST(Fourier, EnclosesOneLaplaceStepInClosedForm) {
  for (const double noise : {0.5, 1.0, 5.0}) {
    for (const double share : {0.0, 0.3, 0.9}) {
      const double epsilon = share / noise;
      const Bound delta = fourier::at_epsilon({{Laplace{.noise = noise}, 1}}, epsilon).delta;
      const Arb truth = -oracle::expm1((Arb(epsilon) - Arb(1) / Arb(noise)) / 2);
      EXPECT_TRUE(oracle::encloses(delta, truth)) << noise << " " << share;
    }
  }
}

TEST(Fourier, EnclosesArbsIntegral) {
  oracle::Random random(5);
  const int plans = std::clamp(oracle::cases() / 1000, 2, 100);
  for (int i = 0; i < plans; ++i) {
    const double rate = random.log_uniform(0.01, 0.1), noise = random.log_uniform(2, 20);
    const double steps = std::floor(random.log_uniform(3000, 3e4)),
                 delta = random.log_uniform(1e-12, 1e-3);
    const Bound epsilon = fourier::at_delta(sampled(rate, noise, steps), delta).epsilon;
    const double variance = steps * rate * rate * std::expm1(1 / (noise * noise));
    const double tilt = 0.8 * std::sqrt(-2 * std::log(delta) / variance);
    const oracle::Composition truth({.noise = noise, .rate = rate}, steps, true, tilt, 1e-60);
    EXPECT_FALSE(truth.delta(epsilon.upper) > Arb(delta)) << rate << " " << noise << " " << steps;
    EXPECT_FALSE(truth.delta(epsilon.lower) < Arb(delta)) << rate << " " << noise << " " << steps;
  }
}

TEST(Fourier, MeetsTheContourOnRandomPlans) {
  oracle::Random random(6);
  const int plans = std::clamp(oracle::cases() / 250, 4, 400);
  for (int i = 0; i < plans; ++i) {
    Plan plan;
    const double rate = random.coin(0.1) ? 1 : random.log_uniform(1e-4, 0.2);
    const double noise = random.log_uniform(0.8, 10);
    const int levels = random.coin(0.7) ? 1 : 5;
    const double steps = std::floor(random.log_uniform(10, 1e4) / levels) + 1;
    for (int j = 0; j < levels; ++j) {
      plan.push_back(entry({.noise = noise * (1 + 0.3 * j), .rate = rate, .steps = steps}));
    }
    const double delta = random.log_uniform(1e-9, 1e-3);
    const Bound tight = contour::at_delta(plan, delta).epsilon;
    if (tight.upper > 100) continue;  // a thousandth of eps would need too many points
    const Bound found = fourier::at_delta(plan, delta).epsilon;
    EXPECT_TRUE(meet(found, tight)) << rate << " " << noise << " " << steps << " " << delta;
    EXPECT_LE(width(found), kDefaultAccuracy) << rate << " " << noise << " " << steps;
    const Bound back = fourier::at_epsilon(plan, tight.upper).delta;
    EXPECT_TRUE(meet(back, contour::at_epsilon(plan, tight.upper).delta)) << i;
  }
}

TEST(Fourier, TheTiltKeepsTinyDeltasApart) {
  const Plan plan = sampled(0.005, 2, 10000);
  for (const double delta : {1e-30, 1e-100}) {
    const Bound found = fourier::at_delta(plan, delta).epsilon;
    EXPECT_TRUE(meet(found, contour::at_delta(plan, delta).epsilon)) << delta;
    EXPECT_LE(width(found), kDefaultAccuracy) << delta;
  }
}

TEST(Fourier, AFinerGridGivesWhatWasAskedFor) {
  const Plan plan = sampled(0.005, 2, 10000);
  for (const double accuracy : {1e-2, 1e-4, 1e-5}) {
    const Bound found = fourier::at_delta(plan, 1e-6, {.accuracy = accuracy}).epsilon;
    EXPECT_LE(width(found), accuracy);
    EXPECT_TRUE(contains(found, 1.1501786607954)) << accuracy;
  }
}

TEST(Fourier, AnAccuracyThatCannotBeCertifiedIsRefused) {
  EXPECT_THROW(fourier::at_delta(sampled(0.005, 2, 10000), 1e-6, {.accuracy = 1e-12}), OutOfReach);
  EXPECT_THROW(fourier::at_delta(sampled(1, 0.3, 1e6), 1e-6), OutOfReach);
  EXPECT_THROW(fourier::at_delta(sampled(0.01, 1, 10), 1e-299), OutOfReach);
  EXPECT_THROW(fourier::at_delta(sampled(0.01, 1, 10), 1e-6, {.accuracy = -1}), Error);
  EXPECT_THROW(fourier::at_delta(sampled(0.01, 1, 10), 1e-6, {.grid = NAN}), Error);
}

TEST(Fourier, TheBudgetAddsUpToTheWidth) {
  const Privacy found = fourier::at_epsilon(sampled(0.01, 1, 1000), 1.5);
  ASSERT_TRUE(found.errors.has_value());
  const auto& [grid, tail, wrap, rounding] = *found.errors;
  EXPECT_NEAR(grid + tail + wrap + rounding, width(found.delta), 1e-12 * found.delta.upper);
  EXPECT_GT(grid, 1000 * (tail + wrap + rounding));
}

TEST(Fourier, AnInfiniteLossThatDeltaDoesNotCoverIsInfinite) {
  const DiscretePair pair({0.5, 0.499, 0.001}, {0.5, 0.5, 0});
  const Bound spent = fourier::at_delta({{pair, 10}}, 1e-3).epsilon;
  EXPECT_EQ(spent.lower, INFINITY);
  EXPECT_EQ(spent.upper, INFINITY);
  EXPECT_LT(fourier::at_delta({{pair, 10}}, 0.02).epsilon.upper, 1);
}

TEST(Fourier, ACurveIsItsPoints) {
  const Plan plan = sampled(0.01, 1, 1000);
  const std::vector<double> epsilons = {0, 0.5, 1, 1.5, 2, 3, 8, 40};
  const std::vector<Bound> curve = fourier::delta_curve(plan, epsilons);
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    EXPECT_TRUE(meet(curve[i], contour::at_epsilon(plan, epsilons[i]).delta)) << epsilons[i];
    EXPECT_LE(curve[i].lower, curve[i == 0 ? 0 : i - 1].upper);
  }
}

TEST(Fourier, UnlikeMechanismsCompose) {
  const Plan plan = {entry({.noise = 5, .rate = 0.1, .steps = 20}),
                     {Laplace{.noise = 20}, 10},
                     {RandomisedResponse{.truth = 0.55}, 3}};
  const Bound all = fourier::at_delta(plan, 1e-6).epsilon;
  const Bound part = fourier::at_delta({plan[0], plan[1]}, 1e-6).epsilon;
  EXPECT_LE(width(all), kDefaultAccuracy);
  EXPECT_GT(all.lower, part.upper);
}

// At rate 1 losses have no lower end: an edge at -inf once swallowed those below -37, which showed
// where direction add was the costlier one.
TEST(Fourier, LargeNegativeLossesStayWhereTheyAre) {
  const Plan plan = {entry({.noise = 0.1, .rate = 1, .steps = 1}),
                     {DiscretePair({1, 0}, {0.9, 0.1}), 1}};
  const Arb gaussian = oracle::gdp_delta(60, 10);
  // add: the pair's loss is infinite with probability 0.1 and else log 0.9.
  const Arb truth = Arb(0.1) + Arb(0.9) * oracle::gdp_delta(Arb(60) - oracle::log(0.9), 10);
  const Bound found = fourier::at_epsilon(plan, 60).delta;
  EXPECT_TRUE(oracle::encloses(found, truth)) << found.lower << " " << found.upper;
  EXPECT_TRUE(Arb(found.lower) > gaussian);
}

TEST(Fourier, AnInfiniteLossAloneIsKnownExactly) {
  const auto delta = [](std::vector<double> with, std::vector<double> without, double steps,
                        double epsilon) {
    return fourier::at_epsilon({{DiscretePair(std::move(with), std::move(without)), steps}},
                               epsilon)
        .delta;
  };
  EXPECT_NEAR(delta({0.5, 0.5}, {1, 0}, 1, 1).lower, 0.5, 1e-8);
  EXPECT_NEAR(delta({0.5, 0.5}, {1, 0}, 1, 1).upper, 0.5, 1e-8);
  EXPECT_NEAR(delta({0.9, 0.1}, {1, 0}, 2, 0.1).upper, 0.19, 1e-8);
  EXPECT_NEAR(delta({1, 0}, {0, 1}, 1, 1).lower, 1, 1e-7);
  EXPECT_EQ(fourier::at_delta({{DiscretePair({1, 0}, {0, 1}), 1}}, 0.5).epsilon.lower, INFINITY);
}

TEST(Fourier, DeltasFarBelowTheBulkAreTold) {
  const Bound found = fourier::at_epsilon({entry({.noise = 1, .rate = 1, .steps = 1})}, 20).delta;
  EXPECT_TRUE(oracle::encloses(found, oracle::gdp_delta(20, 1)));
  EXPECT_GT(found.lower, 0.9 * found.upper);
  // Beyond the largest loss there is nothing.
  const Plan response = {{RandomisedResponse{.truth = 0.75}, 10}};
  EXPECT_EQ(fourier::at_epsilon(response, 10 * std::log(3.0) + 1e-3).delta.lower, 0);
  EXPECT_LT(fourier::at_epsilon(response, 10 * std::log(3.0) + 1e-3).delta.upper, 1e-200);
  EXPECT_LE(width(fourier::at_delta({{RandomisedResponse{.truth = 0.6}, 1}}, 1e-20).epsilon), 1e-3);
}

TEST(Fourier, LittleNoiseIsTakenToo) {
  for (const double noise : {0.03, 0.1}) {
    const Plan plan = {entry({.noise = noise, .rate = 1, .steps = 1})};
    const Bound found = fourier::at_delta(plan, 1e-5, {.accuracy = 0.1}).epsilon;
    EXPECT_TRUE(meet(found, gaussian::at_delta(plan, 1e-5).epsilon)) << noise;
  }
}

}  // namespace
}  // namespace ration
