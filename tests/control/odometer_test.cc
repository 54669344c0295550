#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ration/base/error.h"
#include "ration/compose/renyi.h"
#include "ration/control/gdp_odometer.h"
#include "ration/control/individual_gdp_filter.h"
#include "ration/control/individual_renyi_filter.h"
#include "ration/control/renyi_odometer.h"

namespace ration {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(GdpOdometer, SaysBeforeEachStepWhichLevelWillHoldAfterIt) {
  const Step step = {.noise = 100};
  GdpOdometer odometer(gdp_levels(StepsBudget{.step = step, .steps = 100}));
  EXPECT_EQ(odometer.spent().level, 0u);
  EXPECT_EQ(odometer.spent().mu, exactly(0));
  for (std::uint64_t k = 1; k <= 350; ++k) {
    const std::uint64_t next = odometer.level_after(step);
    odometer.charge(step);
    EXPECT_EQ(odometer.spent().level, next);
    EXPECT_EQ(next, (k + 99) / 100);
    const double truth = std::sqrt(static_cast<double>(k)) / 100;
    EXPECT_GE(odometer.spent().mu.upper, truth * (1 - 1e-15)) << "never below what was spent";
    EXPECT_NEAR(odometer.spent().mu.upper, std::sqrt(static_cast<double>(next)) / 10, 1e-9);
  }
  EXPECT_TRUE(odometer.spent().guarantee.adaptive);
  EXPECT_TRUE(odometer.spent().guarantee.certified);
  EXPECT_THROW(odometer.charge({.noise = 1, .clip = 1, .rate = 0.5}), Error);
}

TEST(GdpOdometer, BeyondTheLastLevelNothingIsSaid) {
  const std::vector<Budget> levels = {MuBudget{1}, EpsilonBudget{.epsilon = 10, .delta = 1e-5}};
  GdpOdometer odometer(gdp_levels(levels));
  odometer.charge(Mu{1});
  EXPECT_EQ(odometer.spent().level, 1u);
  EXPECT_EQ(odometer.spent().mu.upper, 1);
  odometer.charge(Mu{1e-9});
  EXPECT_EQ(odometer.spent().level, 2u);
  EXPECT_EQ(odometer.level_after(Mu{5}), kNoLevel);
  odometer.charge(Mu{200});
  EXPECT_EQ(odometer.spent().level, kNoLevel);
  EXPECT_EQ(odometer.spent().mu.upper, kInfinity);
  const std::vector<Budget> backwards = {MuBudget{1}, MuBudget{0.5}};
  EXPECT_THROW(gdp_levels(backwards), Error);
  EXPECT_THROW(gdp_levels(MuBudget{0}), Error);
}

TEST(IndividualGdpOdometer, EveryPersonHasALevelOfTheirOwn) {
  const Step step = {.noise = 10};
  const Levels levels = gdp_levels(StepsBudget{.step = step, .steps = 4});
  IndividualGdpOdometer odometer(4, levels);
  const std::vector<double> norms = {1, 0.5, 0, 7};
  std::vector<std::uint64_t> next(4);
  for (int k = 0; k < 9; ++k) {
    odometer.levels_after(step, norms, next);
    odometer.charge(step, norms);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(odometer.spent(i).level, next[i]);
  }
  EXPECT_EQ(next, (std::vector<std::uint64_t>{3, 1, 0, 3}));
  EXPECT_THROW(odometer.charge(step, std::vector<double>{1, 1, -1, 1}), Error);
  EXPECT_EQ(odometer.steps(), 9u);
  const IndividualGdpOdometer restored(levels, {odometer.totals().begin(), odometer.totals().end()},
                                       odometer.steps());
  EXPECT_EQ(restored.spent(0).mu, odometer.spent(0).mu);
}

TEST(RenyiOdometer, ALevelIsWorthTheEpsOfItsSteps) {
  const Step step = {.noise = 1, .clip = 1, .rate = 0.05};
  const std::vector<Order> orders = default_orders();
  RenyiOdometer odometer(orders, renyi_levels(StepsBudget{.step = step, .steps = 10}, orders));
  for (std::uint64_t k = 1; k <= 25; ++k) {
    EXPECT_EQ(odometer.level_after(step), (k + 9) / 10);
    odometer.charge(step);
    EXPECT_EQ(odometer.spent(1e-5).level, (k + 9) / 10);
  }
  const Plan plan = {entry({.noise = 1, .rate = 0.05, .steps = 30})};
  const Bound truth = renyi::at_delta(plan, 1e-5, orders).epsilon;
  EXPECT_GE(odometer.spent(1e-5).epsilon.upper, truth.lower);
  EXPECT_NEAR(odometer.spent(1e-5).epsilon.upper, truth.upper, 1e-9);
  EXPECT_TRUE(odometer.spent(1e-5).guarantee.adaptive);
}

TEST(RenyiOdometer, BeyondTheLastLevelNothingIsSaid) {
  const std::vector<Budget> levels = {MuBudget{1}};
  RenyiOdometer odometer({2, 4}, renyi_levels(levels, std::vector<Order>{2, 4}));
  EXPECT_EQ(odometer.spent(1e-5).epsilon, exactly(0));
  odometer.charge({.noise = 1});
  EXPECT_EQ(odometer.spent(1e-5).level, 1u);
  EXPECT_EQ(odometer.level_after({.noise = 100}), kNoLevel);
  odometer.charge({.noise = 100});
  EXPECT_EQ(odometer.spent(1e-5).epsilon.upper, kInfinity);
}

TEST(RenyiOdometer, OrdersBeyondCountingDoNotSpoilTheOthers) {
  const Step step = {.noise = 1, .clip = 1, .rate = 0.001};
  const std::vector<Order> orders = {2, 64};
  RenyiOdometer odometer(orders, renyi_levels(StepsBudget{.step = step, .steps = 100}, orders));
  for (int k = 0; k < 2000; ++k) odometer.charge(step);
  EXPECT_EQ(odometer.totals()[1], kMostUnits);
  EXPECT_EQ(odometer.spent(1e-5).level, 20u);
  EXPECT_LT(odometer.spent(1e-5).epsilon.upper, 20);
}

TEST(IndividualRenyiOdometer, EveryPersonHasALevelOfTheirOwn) {
  const Step step = {.noise = 2, .clip = 3, .rate = 0.1};
  const std::vector<Order> orders = {2, 8};
  const Levels levels = renyi_levels(StepsBudget{.step = step, .steps = 2}, orders);
  IndividualRenyiOdometer odometer(3, orders, levels);
  const std::vector<float> norms = {5, 0.3F, 0};
  std::vector<std::uint64_t> next(3);
  for (int k = 0; k < 5; ++k) {
    odometer.levels_after(step, norms, next);
    odometer.charge(step, norms);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(odometer.spent(i, 1e-5).level, next[i]);
  }
  EXPECT_EQ(next, (std::vector<std::uint64_t>{3, 1, 0}));
  const IndividualRenyiOdometer restored(
      orders, levels, {odometer.totals().begin(), odometer.totals().end()}, odometer.steps());
  EXPECT_EQ(restored.spent(0, 1e-5).epsilon, odometer.spent(0, 1e-5).epsilon);
  EXPECT_THROW(odometer.charge(step, std::vector<float>{1, 1}), Error);
}

// Nobody's memory but that of a person who is there is read.
TEST(Odometer, AndFiltersRefusePeopleWhoAreNotThere) {
  const std::vector<Order> orders = {2.0, 3.0};
  const IndividualRenyiFilter renyi(2, orders, MuBudget{1});
  EXPECT_THROW(renyi.spent(2, 1e-5), Error);
  EXPECT_THROW(renyi.budget(2, 1e-5), Error);
  const Budgets two = {.kinds = {MuBudget{1}, MuBudget{2}}, .kind_of = {0, 1}};
  const IndividualGdpFilter gdp(2, two);
  EXPECT_THROW(gdp.spent(2), Error);
  EXPECT_THROW(gdp.budget(2), Error);
  EXPECT_THROW(IndividualRenyiOdometer(2, orders, renyi_levels(MuBudget{1}, orders)).spent(2, 1e-5),
               Error);
  EXPECT_THROW(IndividualGdpOdometer(2, gdp_levels(MuBudget{1})).spent(2), Error);
}

}  // namespace
}  // namespace ration
