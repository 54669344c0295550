#include "ration/report/attack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/loss/gdp.h"
#include "ration/train/training_plan.h"

namespace ration::report {
namespace {

double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(Attack, AdvantageOfGaussianDpIsTheClosedForm) {
  // mu(eps=1, delta=1e-5) = 0.2680511232112942 (docs/math/gdp.md): 2 Phi(mu/2) - 1.
  const double exact = 2 * normal(0.2680511232112942 / 2) - 1;
  const double said = most_advantage({.epsilon = 1, .delta = 1e-5, .gaussian = true});
  EXPECT_GE(said, exact);
  EXPECT_NEAR(said, exact, 1e-8);
}

TEST(Attack, AHouseholdIsPromisedWhatTheChainOfNeighboursGives) {
  const auto pair = promised_to(2, {.epsilon = 1, .delta = 1e-5, .gaussian = false});
  EXPECT_GE(pair.epsilon, 2);
  EXPECT_LT(pair.epsilon, 2 + 1e-12);
  EXPECT_GE(pair.delta, 1e-5 * (1 + std::exp(1)));
  EXPECT_LT(pair.delta, 1e-5 * (1 + std::exp(1)) * (1 + 1e-12));
  // A whole curve stays at its delta, above 2 mu and not by much.
  const auto curve = promised_to(2, {.epsilon = 1, .delta = 1e-5, .gaussian = true});
  const double exact = gdp::epsilon({.mu = 2 * 0.2680511232112942, .delta = 1e-5}).lower;
  EXPECT_EQ(curve.delta, 1e-5);
  EXPECT_GE(curve.epsilon, exact);
  EXPECT_LT(curve.epsilon, 1.03 * exact);
  const auto none = promised_to(
      2, {.epsilon = std::numeric_limits<double>::infinity(), .delta = 1e-5, .gaussian = false});
  EXPECT_EQ(none.delta, 1);
  EXPECT_LE(promised_to(1000, {.epsilon = 600, .delta = 0.5, .gaussian = false}).delta, 1);
}

TEST(Attack, TruePositivesOfGaussianDpAreTheClosedForm) {
  // Phi(Phi^-1(alpha) + mu); Phi^-1(0.01) = -2.3263478740408408, Phi^-1(0.001) =
  // -3.090232306167813.
  const Attacked attacked = {.epsilon = 8, .delta = 1e-5, .gaussian = true};
  const double mu = 1.666030597845718;
  EXPECT_NEAR(most_true_positives(attacked, 0.01), normal(-2.3263478740408408 + mu), 1e-8);
  EXPECT_NEAR(most_true_positives(attacked, 0.001), normal(-3.090232306167813 + mu), 1e-8);
  EXPECT_GE(most_true_positives(attacked, 0.01), normal(-2.3263478740408408 + mu));
}

// The noise of training is computed, which lets true positives grow by e^kComputedEpsilon
// (docs/math/noise.md).
TEST(Attack, AllowsForNoiseThatIsComputed) {
  const double grown = std::exp(train::kComputedEpsilon), mu = 1.666030597845718;
  const Attacked attacked = {.epsilon = 8, .delta = 1e-5, .gaussian = true};
  const double half = normal(mu / 2);
  EXPECT_GE(most_true_positives(attacked, 1 - half), grown * half);
  EXPECT_GE(most_advantage(attacked), grown * half - (1 - half));
}

TEST(Attack, OfAnyPairAreTheClosedForms) {
  const Attacked attacked = {.epsilon = 1, .delta = 1e-5, .gaussian = false};
  EXPECT_NEAR(most_advantage(attacked), (std::exp(1.0) - 1 + 2e-5) / (std::exp(1.0) + 1), 1e-14);
  EXPECT_NEAR(most_true_positives(attacked, 0.01), 1e-5 + std::exp(1.0) * 0.01, 1e-14);
  // From (1 - delta) / (1 + e^eps) on the other side of the test is the sharper one.
  EXPECT_NEAR(most_true_positives(attacked, 0.5), 1 - std::exp(-1.0) * (0.5 - 1e-5), 1e-14);
}

TEST(Attack, AdvantageOfAnyPairIsTheGreatestDifferenceOverAllFalsePositives) {
  const Attacked attacked = {.epsilon = 0.7, .delta = 0.01, .gaussian = false};
  double greatest = 0;
  for (int i = 1; i < 100000; ++i) {
    const double alpha = i / 1e5;
    greatest = std::max(greatest, most_true_positives(attacked, alpha) - alpha);
  }
  EXPECT_NEAR(most_advantage(attacked), greatest, 1e-5);
  EXPECT_GE(most_advantage(attacked), greatest);
}

TEST(Attack, GaussianDpNeverSaysMoreThanItsPairs) {
  for (const double epsilon : {0.0, 0.01, 0.1, 1.0, 3.0, 10.0, 50.0, 690.0}) {
    for (const double delta : {1e-12, 1e-5, 0.1, 0.99, 1.0}) {
      const Attacked gaussian = {.epsilon = epsilon, .delta = delta, .gaussian = true};
      const Attacked any = {.epsilon = epsilon, .delta = delta, .gaussian = false};
      EXPECT_LE(most_advantage(gaussian), most_advantage(any)) << epsilon << " " << delta;
      for (const double alpha : {1e-6, 0.001, 0.01, 0.3, 0.9}) {
        EXPECT_LE(most_true_positives(gaussian, alpha), most_true_positives(any, alpha))
            << epsilon << " " << delta << " " << alpha;
      }
    }
  }
}

double gaussian_delta(double epsilon, double mu) {
  return normal(-epsilon / mu + mu / 2) - std::exp(epsilon) * normal(-epsilon / mu - mu / 2);
}

TEST(Attack, DeltaOfGaussianDpIsTheClosedForm) {
  const double mu = 1.666030597845718;
  const Attacked attacked = {.epsilon = 8, .delta = 1e-5, .gaussian = true};
  EXPECT_NEAR(*gaussian_parameter(attacked), mu, 1e-12);
  for (const double epsilon : {0.0, 0.5, 2.0, 6.0, 8.0, 9.5, 12.0}) {
    const double said = most_delta(attacked, epsilon), exact = gaussian_delta(epsilon, mu);
    // 1e-13: what the closed form in doubles loses by cancellation.
    EXPECT_GE(said, exact - 1e-13) << epsilon;
    EXPECT_NEAR(said / exact, 1, 1e-5) << epsilon;
  }
}

TEST(Attack, DeltaAllowsForNoiseThatIsComputed) {
  const double mu = 1.666030597845718, computed = train::kComputedEpsilon;
  const Attacked attacked = {.epsilon = 8, .delta = 1e-5, .gaussian = true};
  const double exact = gdp::delta({.epsilon = 4 - computed, .mu = mu}).lower;
  EXPECT_GE(most_delta(attacked, 4), std::exp(computed) * exact);
}

TEST(Attack, DeltaOfAnyPairIsThatOfThePairThatDominates) {
  // Four outcomes, with and without the person: delta, (1-delta) e^eps/(1+e^eps) and so on.
  const double epsilon = 1.5, delta = 0.01, grown = std::exp(epsilon);
  const double with[] = {delta, (1 - delta) * grown / (1 + grown), (1 - delta) / (1 + grown), 0};
  const double without[] = {0, with[2], with[1], delta};
  const Attacked attacked = {.epsilon = epsilon, .delta = delta, .gaussian = false};
  EXPECT_EQ(gaussian_parameter(attacked), std::nullopt);
  for (const double at : {0.0, 0.3, 1.0, 1.499, 1.5, 1.6, 4.0}) {
    double stick = 0;
    for (int i = 0; i < 4; ++i) stick += std::max(0.0, with[i] - std::exp(at) * without[i]);
    EXPECT_NEAR(most_delta(attacked, at), stick, 1e-14) << at;
    EXPECT_GE(most_delta(attacked, at), stick - 1e-15) << at;
  }
  EXPECT_NEAR(most_delta(attacked, 0), most_advantage(attacked), 1e-14);
}

TEST(Attack, WithoutPrivacyNothingIsRuledOut) {
  const Attacked open = {
      .epsilon = std::numeric_limits<double>::infinity(), .delta = 1e-5, .gaussian = true};
  EXPECT_EQ(most_advantage(open), 1);
  EXPECT_EQ(most_true_positives(open, 0.001), 1);
  EXPECT_EQ(most_advantage({.epsilon = 1e9, .delta = 1e-5, .gaussian = false}), 1);
}

TEST(Attack, PerfectPrivacyIsGuessing) {
  const Attacked closed = {.epsilon = 0, .delta = 1e-300, .gaussian = false};
  EXPECT_LE(most_advantage(closed), 1e-15);
  EXPECT_NEAR(most_true_positives(closed, 0.01), 0.01, 1e-15);
}

}  // namespace
}  // namespace ration::report
