#include "ration/control/renyi_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ration/base/error.h"
#include "ration/compose/renyi.h"
#include "tests/refusal.h"

namespace ration {
namespace {

std::uint64_t steps_admitted(RenyiFilter filter, const Step& step) {
  while (filter.state().steps < 100'000 && filter.admit(step)) {
  }
  return filter.state().steps;
}

std::vector<Order> whole_orders() {
  std::vector<Order> orders;
  for (int order = 2; order <= 32; ++order) orders.emplace_back(order);
  return orders;
}
// So close to each other that the best one is nearly the best real order.
std::vector<Order> dense_orders() {
  std::vector<Order> orders;
  for (int i = 0; i <= 2000; ++i) orders.emplace_back(1 + std::pow(10, -1 + 4.0 * i / 2000));
  return orders;
}

// facts.md, "Largest k at sigma=100, delta=1e-5", columns RDP.
TEST(RenyiFilter, AdmitsTheLargestNumberOfStepsOfTheReferenceTable) {
  struct Row {
    double epsilon;
    std::uint64_t dense, whole;
  };
  for (const Row& row :
       {Row{0.1, 8, 0}, Row{0.2, 31, 0}, Row{0.3, 66, 45}, Row{0.5, 170, 170}, Row{0.8, 405, 405},
        Row{1.0, 611, 611}, Row{2.0, 2165, 2163}, Row{5.0, 11019, 10989}}) {
    const EpsilonBudget budget = {.epsilon = row.epsilon, .delta = 1e-5};
    EXPECT_EQ(steps_admitted(RenyiFilter(dense_orders(), budget), {.noise = 100}), row.dense);
    if (row.whole == 0) {
      EXPECT_NE(refusal([&] { RenyiFilter(whole_orders(), budget); }).find("out of reach"),
                std::string::npos);
    } else {
      EXPECT_EQ(steps_admitted(RenyiFilter(whole_orders(), budget), {.noise = 100}), row.whole);
    }
  }
}

TEST(RenyiFilter, OneFixedOrderDoesAsWellWhereItIsTheBest) {
  const EpsilonBudget budget = {.epsilon = 0.8, .delta = 1e-5};
  EXPECT_EQ(steps_admitted(RenyiFilter({21.4}, budget), {.noise = 100}), 405u);
  EXPECT_LT(steps_admitted(RenyiFilter({30}, budget), {.noise = 100}), 405u);
  EXPECT_EQ(refusal([&] { RenyiFilter({2}, budget); }),
            "budget epsilon = 0.8 at delta = 1e-05 is out of reach of order 2: give larger orders, "
            "a larger epsilon or a larger delta");
}

TEST(RenyiFilter, SoManySubsampledStepsAreExactlySoManyAndWorthTheirEps) {
  const Step step = {.noise = 1, .clip = 3, .rate = 0.01};
  const RenyiFilter filter(default_orders(), StepsBudget{.step = step, .steps = 1000});
  EXPECT_EQ(steps_admitted(filter, step), 1000u);
  const Plan plan = {entry({.noise = 1, .rate = 0.01, .steps = 1000})};
  const Bound plain = renyi::at_delta(plan, 1e-5, default_orders()).epsilon;
  EXPECT_GE(filter.budget(1e-5).upper, plain.lower);
  EXPECT_NEAR(filter.budget(1e-5).upper, plain.upper, 1e-9);
}

TEST(RenyiFilter, ABudgetInEpsIsNeverWorthMoreThanThatEps) {
  for (const double epsilon : {0.5, 1.0, 3.0, 8.0}) {
    for (const double rate : {1.0, 0.3, 0.01}) {
      const EpsilonBudget budget = {
          .epsilon = epsilon, .delta = 1e-5, .shape = Step{.noise = 2, .clip = 1, .rate = rate}};
      const RenyiFilter filter(default_orders(), budget);
      // The order that gives the guarantee stays below eps, whatever the conversion's rounding.
      EXPECT_LE(filter.budget(1e-5).lower, epsilon);
      EXPECT_NEAR(filter.budget(1e-5).upper, epsilon, 1e-9);
    }
  }
}

// The step's own curve fits its budget best: another shape stops earlier, never later.
TEST(RenyiFilter, TheShapeOfTheStepsAdmitsAsManyAsTheAccountantAllows) {
  const Step step = {.noise = 2, .clip = 1, .rate = 0.01};
  const std::vector<Order> orders = default_orders();
  const RenyiFilter shaped(orders, EpsilonBudget{.epsilon = 1, .delta = 1e-5, .shape = step});
  const std::uint64_t steps = steps_admitted(shaped, step);
  const auto epsilon = [&](std::uint64_t k) {
    const Plan plan = {entry({.noise = 2, .rate = 0.01, .steps = static_cast<double>(k)})};
    return renyi::at_delta(plan, 1e-5, orders).epsilon;
  };
  EXPECT_LE(epsilon(steps).lower, 1);
  EXPECT_GT(epsilon(steps + 1).upper, 1);
  const RenyiFilter gaussian(orders, EpsilonBudget{.epsilon = 1, .delta = 1e-5});
  EXPECT_LE(steps_admitted(gaussian, step), steps);
}

TEST(RenyiFilter, AMuBudgetThatIsUsedUpExactlyAdmitsTheLastStep) {
  EXPECT_EQ(steps_admitted(RenyiFilter({1.5, 2, 32}, MuBudget{2}), {.noise = 1}), 4u);
  RenyiFilter filter({2}, MuBudget{1});
  EXPECT_FALSE(filter.admit({.noise = 0.5}));
  EXPECT_EQ(filter.state().spent[0], 0u);
  EXPECT_TRUE(filter.admit({.noise = 1}));
  EXPECT_FALSE(filter.admit({.noise = 1e8}));
  EXPECT_TRUE(RenyiFilter::guarantee().adaptive);
}

TEST(RenyiFilter, EveryOrderMustHold) {
  // One large order is used up long before the small one.
  RenyiFilter both(
      RenyiFilter::State{.orders = {2, 64}, .budget = {Units{1} << 50, 1000}, .spent = {0, 0}});
  EXPECT_FALSE(both.admit({.noise = 10}));
  EXPECT_EQ(both.state().spent, (std::vector<Units>{0, 0}));
  RenyiFilter first(RenyiFilter::State{.orders = {2}, .budget = {Units{1} << 50}, .spent = {0}});
  EXPECT_TRUE(first.admit({.noise = 10}));
}

// 10^4 steps at noise 1 and order 64 are a divergence of 3e5, beyond what is counted and of no use.
TEST(RenyiFilter, AnOrderWhoseBudgetIsBeyondCountingLimitsNothingAndClaimsNothing) {
  const Step step = {.noise = 1, .clip = 1, .rate = 0.001};
  RenyiFilter filter({2, 64}, StepsBudget{.step = step, .steps = 10'000});
  EXPECT_EQ(filter.state().budget[1], kMostUnits);
  EXPECT_LT(filter.state().budget[0], Units{1} << 50);
  EXPECT_EQ(steps_admitted(filter, step), 10'000u);
  const RenyiFilter alone({2}, StepsBudget{.step = step, .steps = 10'000});
  EXPECT_EQ(filter.budget(1e-5), alone.budget(1e-5));
  EXPECT_FALSE(filter.admit({.noise = 1e-4}));
}

TEST(RenyiFilter, RefusesWithReasons) {
  EXPECT_NE(refusal([] { RenyiFilter({}, MuBudget{1}); }), "accepted");
  EXPECT_EQ(refusal([] {
              RenyiFilter({3, 2}, MuBudget{1});
            }),
            "order 2 follows 3: give orders that increase");
  EXPECT_NE(refusal([] { RenyiFilter({1e6}, MuBudget{10}); }).find("more than 16384"),
            std::string::npos);
  RenyiFilter filter({2}, MuBudget{1});
  EXPECT_NE(refusal([&] { filter.admit({.noise = 0.005, .clip = 1, .rate = 0.5}); }), "accepted");
  EXPECT_FALSE(filter.admit({.noise = 1e-4}));
  using State = RenyiFilter::State;
  EXPECT_NE(refusal([] { RenyiFilter(State{.orders = {2}, .budget = {3}, .spent = {4}}); }),
            "accepted");
  EXPECT_NE(refusal([] {
              RenyiFilter(State{.orders = {2}, .budget = {3, 3}, .spent = {1}});
            }),
            "accepted");
}

}  // namespace
}  // namespace ration
