#include "paper/mnist_claims.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/loss/gdp.h"

namespace ration::paper {
namespace {

constexpr BlackwellRange kRange = {.from = 0.1, .to = 0.5, .points = 5};

// A person who is mu-GDP, and a curve fitted to them: at the points of the fit, between them and
// beyond.
std::vector<FittedPoint> curve(double mu, double fitted) {
  std::vector<FittedPoint> points;
  for (const double epsilon : {0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7}) {
    points.push_back({.epsilon = epsilon,
                      .delta = gdp::delta({.epsilon = epsilon, .mu = mu}),
                      .fitted = gdp::delta({.epsilon = epsilon, .mu = fitted}).upper});
  }
  return points;
}

bool says(const Claim& claim, const std::string& words) {
  return claim.finding.find(words) != std::string::npos;
}

TEST(MnistClaims, AFittedCurveIsCloseIfItLiesLittleAboveThePersonsBetweenItsPoints) {
  const Claim claim = fitted_curve_is_close(curve(0.2, 0.201), kRange);
  EXPECT_TRUE(claim.held) << claim.finding;
  EXPECT_TRUE(says(claim, "Of 4 points")) << claim.finding;
  EXPECT_TRUE(says(claim, "overstates mu by up to 0.5%")) << claim.finding;
  EXPECT_TRUE(says(claim, "Beyond that no point"));
}

TEST(MnistClaims, AFittedCurveBelowThePersonsBetweenItsPointsIsNoUpperBound) {
  auto points = curve(0.2, 0.201);
  points[3].fitted = points[3].delta.lower * 0.999;
  const Claim claim = fitted_curve_is_close(points, kRange);
  EXPECT_FALSE(claim.held);
  EXPECT_TRUE(says(claim, "the certified one at 1;")) << claim.finding;
}

TEST(MnistClaims, ThePointsOfTheFitItselfProveNothing) {
  auto points = curve(0.2, 0.201);
  for (std::size_t i = 0; i < 9; i += 2) points[i].fitted = points[i].delta.lower / 2;
  EXPECT_TRUE(fitted_curve_is_close(points, kRange).held);
}

// Two Gaussians: the share between their mus is known.
TEST(MnistClaims, AFittedCurveMoreThanFivePercentAboveThePersonsIsNotClose) {
  EXPECT_TRUE(fitted_curve_is_close(curve(0.2, 0.2 * 1.0499), kRange).held);
  EXPECT_FALSE(fitted_curve_is_close(curve(0.2, 0.2 * 1.0501), kRange).held);
  EXPECT_FALSE(fitted_curve_is_close(curve(0.02, 0.02 * 1.06), {0.001, 0.1, 3}).held);
}

TEST(MnistClaims, WhatIsBeyondTheRangeIsToldAndChangesNothing) {
  auto points = curve(0.2, 0.201);
  points[10].fitted = points[10].delta.lower / 3;
  const Claim claim = fitted_curve_is_close(points, kRange);
  EXPECT_TRUE(claim.held);
  EXPECT_TRUE(says(claim, "at 1 points, the first at epsilon 0.7 (delta")) << claim.finding;
  EXPECT_TRUE(says(claim, "by a factor of up to 3.")) << claim.finding;
  // Nor is what lies beyond the last point with a delta of 1e-12.
  auto early = curve(0.2, 0.201);
  for (std::size_t i = 6; i < early.size(); ++i) early[i].delta = {1e-13, 1e-13};
  early[5].fitted = early[5].delta.lower / 3;
  EXPECT_TRUE(fitted_curve_is_close(early, kRange).held);
  const Claim tiny = fitted_curve_is_close(curve(0.01, 0.02), kRange);
  EXPECT_FALSE(tiny.held);
  EXPECT_TRUE(says(tiny, "Of 0 points")) << tiny.finding;
}

TEST(MnistClaims, PldCapturesSmallEpsilonsIfItsLeastAndItsQuantileAreLessThanHalf) {
  const std::vector<double> low = {0.05, 0.06, 0.5, 1}, high = {0.3, 0.3, 0.6, 1.1};
  const Claim claim =
      pld_captures_small(low, {.name = "RDP over orders 2 to 32", .epsilon = high, .floor = 0.25});
  EXPECT_TRUE(claim.held);
  EXPECT_TRUE(says(claim, "The least epsilon is 0.05 by PLD and 0.3 by RDP over orders 2 to 32"))
      << claim.finding;
  EXPECT_TRUE(says(claim, "0.25"));
  EXPECT_FALSE(pld_captures_small(high, {.name = "RDP", .epsilon = low}).held);
  // A little less is not better: a tight bound is below a looser one in any case.
  const std::vector<double> nearly = {0.09, 0.1, 0.5, 1};
  EXPECT_FALSE(pld_captures_small(low, {.name = "RDP", .epsilon = nearly}).held);
}

TEST(MnistClaims, AnApproximationBelowWhatIsCertainIsNoUpperBound) {
  const std::vector<Bound> pld = {{0.0999, 0.1}, {0.1999, 0.2}, {0.3999, 0.4}};
  EXPECT_TRUE(approximation_is_upper_bound(std::vector{0.11, 0.2, 0.5}, pld).held);
  EXPECT_TRUE(approximation_is_upper_bound(std::vector{0.11, 0.19995, 0.5}, pld).held);
  EXPECT_FALSE(approximation_is_upper_bound(std::vector{0.11, 0.19989, 0.5}, pld).held);
  const std::vector<Bound> sharp = {exactly(0.1), exactly(0.2), exactly(0.4)};
  const Claim claim = approximation_is_upper_bound(std::vector{0.11, 0.15, 0.3}, sharp);
  EXPECT_FALSE(claim.held);
  EXPECT_TRUE(says(claim,
                   "for 2 of 3 people, by up to 25% of it; it overstates the upper end by up "
                   "to 10%"))
      << claim.finding;
}

TEST(MnistClaims, SmallerThanRdpOftenIsForMoreThanHalfOfThePeople) {
  const std::vector<double> rdp = {0.2, 0.2, 0.2, 0.2};
  EXPECT_TRUE(approximation_is_below_rdp(std::vector{0.1, 0.1, 0.19, 0.3}, rdp).held);
  EXPECT_FALSE(approximation_is_below_rdp(std::vector{0.1, 0.1, 0.2, 0.3}, rdp).held);
}

// As the paper's scripts have it: orders 2 to 32 floor eps at about 0.23, at the scripts' delta of
// 1e-5, and at about 0.30 at the caption's. By hand: at z = 31, (log 1e5 - 31 log(32/31) - log 32)
// / 31.
TEST(MnistClaims, ShortOrdersHaveAFloor) {
  std::vector<Order> orders;
  for (int order = 2; order <= 32; ++order) orders.emplace_back(order);
  const double by_hand = (std::log(1e5) - 31 * std::log(32.0 / 31) - std::log(32.0)) / 31;
  EXPECT_NEAR(renyi_floor(orders, 1e-5), by_hand, 1e-14);
  EXPECT_NEAR(renyi_floor(orders, 1e-5), 0.23, 0.005);
  EXPECT_NEAR(renyi_floor(orders, 1e-6), 0.30, 0.005);
}

}  // namespace
}  // namespace ration::paper
