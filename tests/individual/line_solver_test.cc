#include "ration/individual/line_table.h"

#include <gtest/gtest.h>

#include <cmath>
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
};
Bound on_line(const Poor& poor) {
  const TiltLadder ladder(kMechanisms, Direction::remove, 3);
  std::vector<double> moments(ladder.room());
  ladder.moments_up(kUsage, moments);
  const std::size_t rung = best_rung(ladder, moments, 0, std::log(kDelta)).rung;
  const double tilt = poor.tilt * ladder.tilt(rung);
  const LineTable table(
      kMechanisms, Direction::remove,
      {.tilt = tilt, .period = (poor.digits - std::log(kDelta)) / tilt, .points = poor.points}, 500,
      std::vector<unsigned char>{1, 1});
  MomentWindow window = {.first = ladder.window_at(rung)};
  ladder.moments_in_window(kUsage, window.first, window.moments);
  return LineSolver(table, kUsage, ladder, window, std::log(kDelta)).epsilon();
}

TEST(LineSolver, IsSharpOnAGoodLine) {
  const Bound found = on_line({.tilt = 0.55, .digits = 20, .points = 100}), exact = truth();
  EXPECT_LE(found.lower, exact.upper);
  EXPECT_GE(found.upper, exact.lower);
  EXPECT_LE(width(found), 1e-6 * found.upper);
}

// Periods so short that aliases count on either side, and lines so short that what is cut off does.
TEST(LineSolver, HoldsOnPoorLines) {
  const Bound exact = truth();
  for (const double tilt : {0.3, 0.6, 1.0, 1.4}) {
    for (const double digits : {-12.0, -8.0, -4.0, 0.0, 4.0}) {
      for (const int points : {2, 3, 4, 6, 100}) {
        const Bound found = on_line({.tilt = tilt, .digits = digits, .points = points});
        EXPECT_LE(found.lower, exact.upper) << tilt << ' ' << digits << ' ' << points;
        EXPECT_GE(found.upper, exact.lower) << tilt << ' ' << digits << ' ' << points;
      }
    }
  }
}

}  // namespace
}  // namespace ration
