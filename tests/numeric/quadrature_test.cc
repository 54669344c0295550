#include "ration/numeric/quadrature.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/oracle/arb.h"

namespace ration {
namespace {

// E[(e^{u/s})^2] = e^{2/s^2} has modulus e^{a^2/2} times as large on Im u = a: growth without
// cosine. The sum at 256 bits shows the error of the rule itself.
TEST(Quadrature, TheStatedErrorIsNotExceeded) {
  for (const double scale : {0.3, 1.0, 5.0}) {
    for (const double digits : {5.0, 15.0, 40.0}) {
      const StripGrowth growth = {.scale = scale, .cosine_power = 0};
      const StripRule rule = choose_rule(growth, digits);
      oracle::Arb sum = 0;
      const double reach = 2 / scale + 30;
      for (double n = -std::ceil(reach / rule.step); n * rule.step < reach; ++n) {
        const oracle::Arb u = n * rule.step;
        sum = sum + oracle::exp(oracle::Arb(2) * u / oracle::Arb(scale) - u * u / 2);
      }
      const oracle::Arb truth =
          oracle::exp(oracle::Arb(2) / (oracle::Arb(scale) * oracle::Arb(scale)));
      const oracle::Arb found =
          sum * oracle::Arb(rule.step) / oracle::sqrt(oracle::Arb(2) * oracle::pi());
      const double error = std::abs(((found - truth) / truth).approximate());
      EXPECT_LE(error, rule_error(rule, growth)) << scale << " " << digits;
      EXPECT_LE(rule_error(rule, growth), 2.5 * std::exp(-digits)) << scale << " " << digits;
    }
  }
}

TEST(Quadrature, NodesAreExactDoubles) {
  const StripRule rule = choose_rule({.scale = 0.37, .cosine_power = 12.5}, 40);
  EXPECT_EQ(std::fmod(rule.step * 1234567, rule.step), 0);
  int exponent = 0;
  const double mantissa = std::frexp(rule.step, &exponent);
  EXPECT_EQ(mantissa * 256, std::floor(mantissa * 256));
}

TEST(Quadrature, LargerPowersAskForSmallerSteps) {
  double last = 10;
  for (const double power : {0.0, 10.0, 1e3, 1e6}) {
    const double step = choose_rule({.scale = 1, .cosine_power = power}, 40).step;
    EXPECT_LT(step, last);
    EXPECT_GT(step, 0);
    last = step;
  }
}

}  // namespace
}  // namespace ration
