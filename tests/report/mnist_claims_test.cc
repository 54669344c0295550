#include "ration/report/mnist_claims.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/loss/gdp.h"
#include "ration/report/rounded_text.h"

namespace ration {
namespace {

constexpr BlackwellRange kRange = {.from = 0.1, .to = 0.5, .points = 5};

// A person who is mu-GDP, and a curve fitted to them.
std::vector<FittedPoint> curve(double mu, double fitted) {
  std::vector<FittedPoint> points;
  for (const double epsilon : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}) {
    points.push_back({.epsilon = epsilon,
                      .delta = gdp::delta({.epsilon = epsilon, .mu = mu}),
                      .fitted = gdp::delta({.epsilon = epsilon, .mu = fitted}).upper});
  }
  return points;
}

bool says(const Claim& claim, const std::string& words) {
  return claim.finding.find(words) != std::string::npos;
}

TEST(MnistClaims, AFittedCurveIsCloseIfItLiesLittleAboveThePersonsOnTheRange) {
  const Claim claim = fitted_curve_is_close(curve(0.2, 0.201), kRange);
  EXPECT_TRUE(claim.held) << claim.finding;
  EXPECT_TRUE(says(claim, "Of 5 points")) << claim.finding;
  EXPECT_TRUE(says(claim, "Beyond that no point"));
}

TEST(MnistClaims, AFittedCurveBelowThePersonsAnywhereOnTheRangeIsNoUpperBound) {
  auto points = curve(0.2, 0.201);
  points[2].fitted = points[2].delta.lower * 0.999;
  const Claim claim = fitted_curve_is_close(points, kRange);
  EXPECT_FALSE(claim.held);
  EXPECT_TRUE(says(claim, "the certified one at 1;")) << claim.finding;
}

// Two Gaussians: at delta the epsilons are known, and so is how far the curves are apart.
TEST(MnistClaims, AFittedCurveFarAboveThePersonsIsNotClose) {
  EXPECT_FALSE(fitted_curve_is_close(curve(0.2, 0.3), kRange).held);
  const auto points = curve(0.2, 0.203);
  double apart = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const double at = gdp::epsilon({.mu = 0.203, .delta = points[i].delta.upper}).upper;
    apart = std::max(apart, at - points[i].epsilon);
  }
  EXPECT_TRUE(says(fitted_curve_is_close(points, kRange), "by at most " + rounded_up(apart, 4)));
}

TEST(MnistClaims, WhatIsBeyondTheRangeIsToldAndChangesNothing) {
  auto points = curve(0.2, 0.201);
  points[6].fitted = points[6].delta.lower / 3;
  const Claim claim = fitted_curve_is_close(points, kRange);
  EXPECT_TRUE(claim.held);
  EXPECT_TRUE(says(claim, "from epsilon 0.7 (delta")) << claim.finding;
  EXPECT_TRUE(says(claim, "by a factor of up to 3.")) << claim.finding;
  // Nor are deltas below 1e-12 judged.
  const Claim tiny = fitted_curve_is_close(curve(0.01, 0.02), kRange);
  EXPECT_FALSE(tiny.held);
  EXPECT_TRUE(says(tiny, "Of 0 points")) << tiny.finding;
}

TEST(MnistClaims, PldCapturesSmallEpsilonsIfItsLeastAndItsQuantileAreSmaller) {
  const std::vector<double> low = {0.05, 0.06, 0.5, 1}, high = {0.3, 0.3, 0.6, 1.1};
  const Claim claim =
      pld_captures_small(low, {.name = "RDP over orders 2 to 32", .epsilon = high, .floor = 0.25});
  EXPECT_TRUE(claim.held);
  EXPECT_TRUE(says(claim, "The least epsilon is 0.05 by PLD and 0.3 by RDP over orders 2 to 32"))
      << claim.finding;
  EXPECT_TRUE(says(claim, "0.25"));
  EXPECT_FALSE(pld_captures_small(high, {.name = "RDP", .epsilon = low}).held);
  EXPECT_FALSE(pld_captures_small(low, {.name = "RDP", .epsilon = low}).held);
}

TEST(MnistClaims, OnePersonAboveIsEnoughToSayThatPldIsAboveRdp) {
  EXPECT_TRUE(pld_is_never_above(std::vector{0.1, 0.2}, std::vector{0.1, 0.3}).held);
  const Claim claim = pld_is_never_above(std::vector{0.1, 0.3001}, std::vector{0.2, 0.3});
  EXPECT_FALSE(claim.held);
  EXPECT_EQ(claim.finding, "It is above for 1 of 2 people.");
}

TEST(MnistClaims, AnApproximationBelowACertifiedValueIsNoUpperBound) {
  const std::vector<double> pld = {0.1, 0.2, 0.4};
  EXPECT_TRUE(approximation_is_upper_bound(std::vector{0.11, 0.2, 0.5}, pld).held);
  EXPECT_TRUE(approximation_is_upper_bound(std::vector{0.1 * (1 - 5e-7), 0.2, 0.5}, pld).held);
  const Claim claim = approximation_is_upper_bound(std::vector{0.11, 0.15, 0.3}, pld);
  EXPECT_FALSE(claim.held);
  EXPECT_TRUE(says(claim, "for 2 of 3 people, by up to 25% of it; it overstates it by up to 10%"))
      << claim.finding;
}

TEST(MnistClaims, SmallerThanRdpOftenIsForMoreThanHalfOfThePeople) {
  const std::vector<double> rdp = {0.2, 0.2, 0.2, 0.2};
  EXPECT_TRUE(approximation_is_below_rdp(std::vector{0.1, 0.1, 0.19, 0.3}, rdp).held);
  EXPECT_FALSE(approximation_is_below_rdp(std::vector{0.1, 0.1, 0.2, 0.3}, rdp).held);
}

// facts.md, section 4: orders 2 to 32 floor eps at about 0.23, at the scripts' delta of 1e-5. By
// hand: at z = 31, (log 1e5 - 31 log(32/31) - log 32) / 31.
TEST(MnistClaims, ShortOrdersHaveAFloor) {
  std::vector<Order> orders;
  for (int order = 2; order <= 32; ++order) orders.emplace_back(order);
  const double by_hand = (std::log(1e5) - 31 * std::log(32.0 / 31) - std::log(32.0)) / 31;
  EXPECT_NEAR(renyi_floor(orders, 1e-5), by_hand, 1e-14);
  EXPECT_NEAR(renyi_floor(orders, 1e-5), 0.23, 0.005);
}

}  // namespace
}  // namespace ration
