#include "ration/numeric/interval.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

TEST(Directed, NeighboursOfZeroAndOfInfinity) {
  EXPECT_EQ(next_up(0.0), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(next_down(0.0), -std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(next_up(std::numeric_limits<double>::infinity()),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(next_down(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::max());
}

TEST(Directed, NextUpIsTheNeighbour) {
  EXPECT_TRUE(rc::check("next_up equals nextafter", [](double x) {
    RC_PRE(std::isfinite(x));
    RC_ASSERT(next_up(x) == std::nextafter(x, std::numeric_limits<double>::infinity()));
  }));
}

struct Pair {
  double a, b;
};
Pair random_pair(oracle::Random& random) {
  const auto one = [&] {
    const double size = random.log_uniform(1e-160, 1e100);
    return random.coin(0.5) ? size : -size;
  };
  return {one(), one()};
}

TEST(Interval, ArithmeticEnclosesArb) {
  oracle::Random random(1);
  for (int i = 0; i < oracle::cases(); ++i) {
    const auto [a, b] = random_pair(random);
    const Bound x = exactly(a), y = exactly(b);
    ASSERT_TRUE(oracle::encloses(x + y, Arb(a) + Arb(b)));
    ASSERT_TRUE(oracle::encloses(x - y, Arb(a) - Arb(b)));
    ASSERT_TRUE(oracle::encloses(x * y, Arb(a) * Arb(b))) << a << " " << b;
    ASSERT_TRUE(oracle::encloses(x / y, Arb(a) / Arb(b))) << a << " " << b;
    ASSERT_TRUE(oracle::encloses(square(x), Arb(a) * Arb(a)));
    ASSERT_TRUE(oracle::encloses(sqrt(exactly(std::abs(a))), oracle::sqrt(std::abs(a))));
  }
}

TEST(Interval, WideOperandsEncloseTheirCorners) {
  oracle::Random random(2);
  for (int i = 0; i < oracle::cases(); ++i) {
    const auto [a, b] = random_pair(random);
    const auto [c, d] = random_pair(random);
    const Bound x = {.lower = std::min(a, b), .upper = std::max(a, b)};
    const Bound y = {.lower = std::min(c, d), .upper = std::max(c, d)};
    for (const double p : {a, b}) {
      for (const double q : {c, d}) {
        ASSERT_TRUE(oracle::encloses(x * y, Arb(p) * Arb(q)));
        ASSERT_TRUE(oracle::encloses(x - y, Arb(p) - Arb(q)));
        if (y.lower > 0 || y.upper < 0) {
          ASSERT_TRUE(oracle::encloses(x / y, Arb(p) / Arb(q)));
        }
      }
    }
  }
}

// What directed.h takes from the C library's manual.
TEST(Interval, ElementaryFunctionsEncloseArb) {
  oracle::Random random(3);
  for (int i = 0; i < oracle::cases(); ++i) {
    const double x = random.coin(0.5) ? random.uniform(-700, 700) : random.log_uniform(1e-18, 1);
    const double positive = random.log_uniform(1e-300, 1e300);
    ASSERT_TRUE(oracle::encloses(exp(exactly(x)), oracle::exp(x))) << x;
    ASSERT_TRUE(oracle::encloses(expm1(exactly(x)), oracle::expm1(x))) << x;
    ASSERT_TRUE(oracle::encloses(log(exactly(positive)), oracle::log(positive))) << positive;
    ASSERT_TRUE(oracle::encloses(log1p(exactly(positive)), oracle::log1p(positive))) << positive;
    const double below = -random.uniform(0, 1);
    ASSERT_TRUE(oracle::encloses(log1p(exactly(below)), oracle::log1p(below))) << below;
  }
}

TEST(Interval, OverflowEndsAtInfinity) {
  const Bound huge = exp(exactly(800));
  EXPECT_LT(huge.lower, std::numeric_limits<double>::infinity());
  EXPECT_EQ(huge.upper, std::numeric_limits<double>::infinity());
  EXPECT_EQ(exp(exactly(-800)).lower, 0);
}

}  // namespace
}  // namespace ration
