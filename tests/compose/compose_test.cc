#include "ration/compose/compose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ration/compose/accountants.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

Plan steps_of_gaussian(double noise, double steps) {
  return {entry({.noise = noise, .rate = 1, .steps = steps})};
}

std::vector<Order> orders(int from, int to) {
  std::vector<Order> list;
  for (int order = from; order <= to; ++order) list.emplace_back(order);
  return list;
}

// Facts, section 3: sigma = 100, delta = 1e-5, computed to 30 digits.
TEST(Account, GaussianEpsilonIsTheKnownValue) {
  const auto epsilon = [](double steps) {
    return compose(steps_of_gaussian(100, steps), 1e-5).epsilon.upper;
  };
  EXPECT_NEAR(epsilon(420), 0.745138235521, 6e-13);
  EXPECT_NEAR(epsilon(495), 0.815230292353, 6e-13);
  EXPECT_NEAR(epsilon(496), 0.816131514081, 6e-13);
}

TEST(Account, RenyiEpsilonIsTheKnownValueOverRealAndOverListedOrders) {
  const Plan plan = steps_of_gaussian(100, 420);
  const Bound real = renyi::at_delta(plan, 1e-5).epsilon;
  EXPECT_NEAR(real.upper, 0.815623422, 6e-10);
  EXPECT_LT(width(real), 1e-10);
  const Bound listed = renyi::at_delta(plan, 1e-5, orders(2, 32)).epsilon;
  EXPECT_NEAR(listed.upper, 0.815629987, 6e-10);
  EXPECT_LT(real.upper, listed.lower);
}

// Below mu-GDP Renyi accounting is never tighter: the lower end may not pass the exact value.
TEST(Account, RenyiNeverBeatsTheExactValue) {
  oracle::Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Plan plan =
        steps_of_gaussian(random.log_uniform(0.05, 1e5), std::floor(random.log_uniform(1, 1e6)));
    const double delta = random.log_uniform(1e-200, 0.1);
    const Bound exact = gaussian::at_delta(plan, delta).epsilon;
    const Bound renyi = renyi::at_delta(plan, delta).epsilon;
    EXPECT_GE(renyi.upper, exact.lower);
    EXPECT_LE(width(renyi), 1e-9 * renyi.upper + 1e-12);
  }
}

// eps -> delta -> eps comes back to where it began, up to the widths.
TEST(Account, DeltaAndEpsilonAreInverse) {
  oracle::Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Plan plan = {entry({.noise = random.log_uniform(0.5, 50),
                              .rate = random.log_uniform(1e-4, 1),
                              .steps = std::floor(random.log_uniform(1, 1e5))})};
    const double delta = random.log_uniform(1e-12, 1e-2);
    const Bound epsilon = compose(plan, delta, {.method = Method::rdp, .orders = {}}).epsilon;
    if (epsilon.upper > 1e6 || epsilon.lower == 0) continue;
    const Bound back = delta_at(plan, epsilon.upper, {.method = Method::rdp, .orders = {}}).delta;
    EXPECT_LE(back.lower, delta);
    EXPECT_GE(back.upper, delta * (1 - 1e-4 * epsilon.upper)) << epsilon.upper;
  }
}

TEST(Account, OrderOfEntriesAndSplittingThemDoNotMatter) {
  const Plan together = {entry({.noise = 2, .rate = 0.01, .steps = 300}),
                         entry({.noise = 4, .rate = 0.02, .steps = 100})};
  const Plan apart = {entry({.noise = 4, .rate = 0.02, .steps = 100}),
                      entry({.noise = 2, .rate = 0.01, .steps = 100}),
                      entry({.noise = 2, .rate = 0.01, .steps = 200})};
  const Bound a = compose(together, 1e-6).epsilon, b = compose(apart, 1e-6).epsilon;
  EXPECT_LE(a.lower, b.upper);
  EXPECT_LE(b.lower, a.upper);
}

TEST(Account, TheDefaultIsTheTightestMethodThatFits) {
  EXPECT_EQ(compose(steps_of_gaussian(10, 5), 1e-5).method, Method::gdp);
  EXPECT_EQ(compose({entry({.noise = 10, .rate = 0.5, .steps = 5})}, 1e-5).method, Method::contour);
}

TEST(Account, WhatCannotBeCertifiedIsRefused) {
  EXPECT_THROW(compose({}, 1e-5), Error);
  EXPECT_THROW(compose({entry({.noise = 10, .rate = 0.5, .steps = 5})}, 1e-5,
                       {.method = Method::gdp, .orders = {}}),
               Error);
  EXPECT_THROW(compose(steps_of_gaussian(10, 5), 1e-5, {.method = Method::gdp, .orders = {2}}),
               Error);
}

TEST(Account, BeyondTheRangeOfMuTheBoundSaysSo) {
  const Privacy huge = compose(steps_of_gaussian(1e-4, 1e15), 1e-5);
  EXPECT_GT(huge.epsilon.lower, 1e8);
  EXPECT_TRUE(std::isinf(huge.epsilon.upper));
  EXPECT_EQ(delta_at(steps_of_gaussian(1e-4, 1e15), 1).delta.upper, 1);
}

// A delta just below delta(0): the contour alone is wide there, the grid knows that eps is 0.
TEST(Account, AsksTheGridWhereTheContourIsNotSharp) {
  const Plan plan = {entry({.noise = 0.344249, .rate = 5.21587e-05, .steps = 58})};
  const Privacy alone = compose(plan, 0.00205163, {.method = Method::contour});
  const Privacy both = compose(plan, 0.00205163);
  EXPECT_GE(both.epsilon.lower, alone.epsilon.lower);
  EXPECT_LE(both.epsilon.upper, alone.epsilon.upper);
  EXPECT_LE(width(both.epsilon), 1e-2);
}

TEST(Account, OtherMechanismsAreAccountedForOnAGridAndByRenyi) {
  const Plan plan = {{Laplace{.noise = 10}, 20}};
  const Privacy tight = compose(plan, 1e-6);
  EXPECT_EQ(tight.method, Method::fourier);
  EXPECT_LE(tight.epsilon.upper, 20 / 10.0 + 1e-9);  // pure DP adds up
  EXPECT_GE(compose(plan, 1e-6, {.method = Method::rdp}).epsilon.upper, tight.epsilon.lower);
  EXPECT_THROW(compose(plan, 1e-6, {.method = Method::gdp}), Error);
  EXPECT_THROW(compose(plan, 1e-6, {.method = Method::contour}), Error);
}

}  // namespace
}  // namespace ration
