#include "ration/individual/line_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "ration/compose/accountants.h"
#include "ration/mechanism/mechanism.h"

namespace ration {
namespace {

// One person, 300 steps of the first mechanism and 200 of the second, for whom removing costs more.
const std::vector<SubsampledGaussian> kMechanisms = {{.noise = 1.0, .rate = 0.05},
                                                     {.noise = 1.6, .rate = 0.05}};
const Usage kUsage = {.mechanism = {0, 1}, .count = {300, 200}, .used = 2};
constexpr double kDelta = 1e-6;

Bound truth() {
  const Privacy found = contour::at_delta(
      {{kMechanisms[0], kUsage.count[0]}, {kMechanisms[1], kUsage.count[1]}}, kDelta);
  EXPECT_EQ(found.direction, Direction::remove);
  return found.epsilon;
}

// The person's eps on a line of this shape, its tilt relative to the best one.
struct Poor {
  double tilt, digits;
  int points;
  double decay = 0;
};
Bound on_line(const Poor& poor, std::span<const SubsampledGaussian> mechanisms = kMechanisms,
              const Usage& usage = kUsage) {
  const TiltLadder ladder(mechanisms, Direction::remove, 3);
  std::vector<double> moments(ladder.room());
  ladder.moments_up(usage, moments);
  const std::size_t rung = best_rung(ladder, moments, 0, std::log(kDelta)).rung;
  const double tilt = poor.tilt * ladder.tilt(rung);
  const LineTable table(
      {.mechanisms = mechanisms}, Direction::remove,
      {.tilt = tilt, .period = (poor.digits - std::log(kDelta)) / tilt, .points = poor.points}, 500,
      std::vector<unsigned char>(mechanisms.size(), 1));
  MomentWindow window = {.first = ladder.window_at(rung)};
  ladder.moments_in_window(usage, window.first, window.moments);
  return LineSolver(table, at_edges(usage),
                    {.ladder = ladder, .window = window, .removing = ladder, .removed = window},
                    std::log(kDelta), poor.decay)
      .epsilon();
}

TEST(LineSolver, IsSharpOnAGoodLine) {
  const Bound found = on_line({.tilt = 0.55, .digits = 20, .points = 100}), exact = truth();
  EXPECT_LE(found.lower, exact.upper);
  EXPECT_GE(found.upper, exact.lower);
  EXPECT_LE(width(found), 1e-6 * found.upper);
}

// In units of sqrt(v / 2 pi), at y = (eps - L)^2 / v: the integral of the normal density over its
// variance, and one density. Both fall with y, so that the ends of cells say enough.
double integral(double y) {
  return 2 * (std::exp(-y / 2) - std::sqrt(std::numbers::pi * y / 2) * std::erfc(std::sqrt(y / 2)));
}
double density(double variance, double y) {
  return std::exp(-y / (2 * variance)) / std::sqrt(variance);
}
TEST(AddedNoise, LiesBetweenItsBounds) {
  using A = AddedNoise;
  const double cell = 1e-5;
  for (double root = 0; root * root < 40; root += cell) {
    const double near = root * root, far = (root + cell) * (root + cell);
    ASSERT_GE(integral(far), A::kLeast * density(A::kPart, near)) << near;
    ASSERT_LE(integral(near),
              A::kMostPart * density(A::kPart, far) + A::kMostWhole * density(1, far))
        << near;
    ASSERT_LE(integral(near), 2 * density(1, near) * (1 + 1e-12)) << near;
  }
}

// With noise added a short line proves something on either side, and a longer one more.
TEST(LineSolver, AddsNoiseWhereALineIsShort) {
  const Bound exact = truth();
  double last = 1;
  for (const int points : {16, 32, 64}) {
    const Bound found = on_line({.tilt = 0.5, .digits = 20, .points = points, .decay = 20});
    EXPECT_LE(found.lower, exact.upper) << points;
    EXPECT_GE(found.upper, exact.lower) << points;
    EXPECT_GT(found.lower, 0.5 * exact.lower) << points;
    EXPECT_LE(width(found) / exact.upper, std::max(last, 1e-6)) << points;
    last = width(found) / exact.upper;
  }
  EXPECT_LT(last, 0.01);
}

// A few rare draws: nearly all of the width is the noise that was added.
TEST(LineSolver, KnowsWhatTheNoiseIsWorth) {
  const std::vector<SubsampledGaussian> rare = {{.noise = 0.7, .rate = 0.001}};
  const Usage usage = {.mechanism = {0}, .count = {400}, .used = 1};
  const Bound exact = contour::at_delta({{rare[0], usage.count[0]}}, kDelta).epsilon;
  for (const int points : {60, 120, 250, 500, 1000}) {
    const Bound found =
        on_line({.tilt = 0.3, .digits = 36, .points = points, .decay = 21}, rare, usage);
    EXPECT_LE(found.lower, exact.upper) << points;
    EXPECT_GE(found.upper, exact.lower) << points;
    if (points >= 500) {
      EXPECT_LE(width(found), 0.04 * exact.upper) << points;
    }
  }
}

// Periods so short that aliases count on either side, and lines so short that what is cut off does.
TEST(LineSolver, HoldsOnPoorLines) {
  const Bound exact = truth();
  for (const double tilt : {0.3, 0.6, 1.0, 1.4}) {
    for (const double digits : {-12.0, -8.0, -4.0, 0.0, 4.0}) {
      for (const int points : {2, 3, 4, 6, 100}) {
        for (const double decay : {0.0, 20.0}) {
          const Bound found =
              on_line({.tilt = tilt, .digits = digits, .points = points, .decay = decay});
          EXPECT_LE(found.lower, exact.upper) << tilt << ' ' << digits << ' ' << points;
          EXPECT_GE(found.upper, exact.lower) << tilt << ' ' << digits << ' ' << points;
        }
      }
    }
  }
}

// Steps that are mixed of two laws: the sum of their shares is known, not each. All may have the
// same share, or each fall to one of the laws; on either side eps is what both are proved to have.
struct Mixed {
  double rate, near, far;
  int steps, top;
};
Plan plan_of(const Mixed& m, int top) {
  Plan plan;
  if (top > 0) plan.push_back(entry({.noise = m.near, .rate = m.rate, .steps = top}));
  if (top < m.steps)
    plan.push_back(entry({.noise = m.far, .rate = m.rate, .steps = m.steps - top}));
  return plan;
}
// A binomial number of steps falls to the first one.
Bound delta_of_equal_shares(const Mixed& m, double epsilon) {
  const double share = static_cast<double>(m.top) / m.steps;
  Bound sum = exactly(0);
  for (int k = 0; k <= m.steps; ++k) {
    const double weight =
        std::exp(std::lgamma(m.steps + 1) - std::lgamma(k + 1) - std::lgamma(m.steps - k + 1) +
                 k * std::log(share) + (m.steps - k) * std::log1p(-share));
    const Bound delta = contour::at_epsilon(plan_of(m, k), epsilon).delta;
    sum = {.lower = sum.lower + weight * delta.lower, .upper = sum.upper + weight * delta.upper};
  }
  return {.lower = sum.lower * (1 - 1e-11), .upper = sum.upper * (1 + 1e-11)};
}

TEST(LineSolver, EnclosesAllWaysToMixThatHaveTheSameSum) {
  for (const Mixed& m : {Mixed{.rate = 0.05, .near = 1, .far = 1.005, .steps = 40, .top = 20},
                         Mixed{.rate = 0.1, .near = 1.2, .far = 1.21, .steps = 60, .top = 20},
                         Mixed{.rate = 0.5, .near = 2, .far = 2.005, .steps = 30, .top = 10}}) {
    const std::vector<SubsampledGaussian> laws = {{.noise = m.near, .rate = m.rate},
                                                  {.noise = m.far, .rate = m.rate}};
    const double top = m.top, rest = m.steps - m.top, all = m.steps;
    const Usage usage = {.mechanism = {0}, .count = {all}, .used = 1};
    const TiltLadder ladder(laws, Direction::remove, 3);
    std::vector<double> moments(ladder.room());
    ladder.moments_up(usage, moments);
    const std::size_t rung = best_rung(ladder, moments, 0, std::log(kDelta)).rung;
    const double tilt = 0.5 * ladder.tilt(rung);
    const std::vector<LawPair> pairs = {{.top = 0, .base = 1}};
    const LineTable table({.mechanisms = laws, .pairs = pairs}, Direction::remove,
                          {.tilt = tilt, .period = (20 - std::log(kDelta)) / tilt, .points = 200},
                          all, std::vector<unsigned char>{1, 1});
    ASSERT_EQ(table.blunt()[0], 0);
    MomentWindow window = {.first = ladder.window_at(rung)};
    ladder.moments_in_window(usage, window.first, window.moments);
    const Mixture mixture = {
        .law = {0, 1}, .weight = {top, rest}, .pair = {0}, .unsettled = {top * rest / all}};
    const Bound found =
        LineSolver(table, mixture,
                   {.ladder = ladder, .window = window, .removing = ladder, .removed = window},
                   std::log(kDelta), 0)
            .epsilon();
    EXPECT_LE(width(found), 0.01 * found.upper) << m.near;
    const auto whole = [&](double epsilon) {
      return contour::at_epsilon(plan_of(m, m.top), epsilon).delta;
    };
    EXPECT_GE(whole(found.lower).upper, kDelta) << m.near;
    EXPECT_LE(whole(found.upper).lower, kDelta) << m.near;
    EXPECT_GE(delta_of_equal_shares(m, found.lower).upper, kDelta) << m.near;
    EXPECT_LE(delta_of_equal_shares(m, found.upper).lower, kDelta) << m.near;
  }
}

}  // namespace
}  // namespace ration
