#include "ration/numeric/search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/numeric/interval.h"

namespace ration {
namespace {

constexpr Bound kRange = {.lower = 1e-6, .upper = 1e6};

// x - log x has its minimum 1 at x = 1.
TEST(Minimum, LeastValueIsEnclosedAndNarrow) {
  const Minimum m = least_value([](double x) { return x - std::log(x); },
                                [](double x) { return exactly(x) - log(exactly(x)); }, kRange);
  EXPECT_TRUE(contains(m.value, 1));
  EXPECT_LT(width(m.value), 1e-9);
  EXPECT_NEAR(m.at, 1, 1e-6);
}

// (x^2 + 9) / x has its minimum 6 at x = 3.
TEST(Minimum, LeastSlopeIsEnclosedAndNarrow) {
  const Minimum m = least_slope([](double x) { return x * x + 9; },
                                [](double x) { return square(exactly(x)) + 9; }, kRange);
  EXPECT_TRUE(contains(m.value, 6));
  EXPECT_LT(width(m.value), 1e-9);
}

TEST(Minimum, AtTheEndOfTheRange) {
  const auto rising = [](double x) { return exactly(x); };
  const Minimum low = least_value([](double x) { return x; }, rising, kRange);
  EXPECT_LE(low.value.lower, 1e-6);
  EXPECT_LT(low.value.upper, 1.1e-6);
  const auto falling = [](double x) { return -exactly(x); };
  const Minimum high = least_value([](double x) { return -x; }, falling, kRange);
  EXPECT_LE(high.value.lower, -1e6);
  EXPECT_LT(high.value.upper, -0.99e6);
}

// A search that looks in the wrong place costs width, never the enclosure.
TEST(Minimum, SurvivesASearchThatMisleads) {
  const Minimum m = least_value([](double x) { return std::abs(std::log(x / 500)); },
                                [](double x) { return exactly(x) - log(exactly(x)); }, kRange);
  EXPECT_LE(m.value.lower, 1);
  EXPECT_GE(m.value.upper, 1);
}

// A kink: the slope jumps from -1 to 1e6 at x = 2, where chords over the kink are useless.
TEST(Minimum, AKinkIsEnclosedNarrowly) {
  const auto kinked = [](double x) { return x < 2 ? 3 - x : 1 + 1e6 * (x - 2); };
  const Minimum m = least_value(
      kinked, [&](double x) { return exactly(kinked(x)); }, kRange);
  EXPECT_LE(m.value.lower, 1);
  EXPECT_GE(m.value.upper, 1);
  EXPECT_GT(m.value.lower, 0.99);
}

TEST(Minimum, NoiseOfTheFunctionOnlyWidens) {
  const auto noisy = [](double x) { return widen(exactly(x) - log(exactly(x)), 1e-7); };
  const Minimum m = least_value([](double x) { return x - std::log(x); }, noisy, kRange);
  EXPECT_TRUE(contains(m.value, 1));
  EXPECT_LT(width(m.value), 1e-4);
}

}  // namespace
}  // namespace ration
