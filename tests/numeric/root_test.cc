#include "ration/numeric/search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/numeric/interval.h"

namespace ration {
namespace {

Bound cube_minus_two(double x) { return exactly(x) * exactly(x) * exactly(x) - 2; }

TEST(Root, EnclosesTheCubeRootOfTwo) {
  const Bound root = certified_root(cube_minus_two, 1.26, {.lower = 0, .upper = 10});
  EXPECT_LE(cube_minus_two(root.lower).upper, 0);
  EXPECT_GE(cube_minus_two(root.upper).lower, 0);
}

TEST(Root, IsNarrowWhenTheGuessIsGood) {
  const Bound root = certified_root(cube_minus_two, std::cbrt(2.0), {.lower = 0, .upper = 10});
  EXPECT_LT(width(root), 1e-14);
}

// A guess can be wrong without making the enclosure wrong.
TEST(Root, SurvivesABadGuess) {
  for (const double guess : {0.0, 1e-9, 9.9, 100.0}) {
    const Bound root = certified_root(cube_minus_two, guess, {.lower = 0, .upper = 10});
    EXPECT_TRUE(contains(root, std::cbrt(2.0))) << guess;
  }
}

TEST(Root, FallsBackToTheRangeWhereSignsCannotBeProved) {
  const auto blurred = [](double x) { return widen(exactly(x) - 1, 5); };
  const Bound root = certified_root(blurred, 1, {.lower = 0, .upper = 2});
  EXPECT_EQ(root, (Bound{.lower = 0, .upper = 2}));
}

TEST(Root, SearchFindsRootsOfAwkwardFunctions) {
  const auto find = [](auto f, double from, double to) {
    return find_root(f, {.lower = from, .upper = to});
  };
  EXPECT_NEAR(find([](double x) { return std::expm1(50 * (x - 0.3)); }, -10, 10), 0.3, 1e-13);
  EXPECT_NEAR(find([](double x) { return std::cbrt(x - 2); }, -100, 1000), 2, 1e-12);
  EXPECT_NEAR(find([](double x) { return std::pow(x - 1, 9); }, 0, 5), 1, 1e-2);
  EXPECT_EQ(find([](double x) { return x + 5; }, 0, 1), 0);  // no change of sign
  EXPECT_EQ(find([](double x) { return x - 5; }, 0, 1), 1);
}

}  // namespace
}  // namespace ration
