#include "ration/control/odometer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/base/error.h"
#include "ration/compose/accountants.h"
#include "ration/control/filter.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "ration/loss/gdp.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

Odometer gdp_odometer(const Budget& increment) {
  return {gdp_currency(), levels_of(*gdp_currency(), increment)};
}

constexpr double kDelta = 1e-5;
constexpr Bound kAnything = {.lower = 0, .upper = kInfinity};

TEST(GdpOdometer, SaysBeforeEachStepWhichLevelWillHoldAfterIt) {
  const Step step = {.noise = 100};
  Odometer odometer = gdp_odometer(StepsBudget{.step = step, .steps = 100});
  EXPECT_EQ(odometer.reading(0, kDelta).level, 0u);
  EXPECT_EQ(odometer.reading(0, kDelta).mu, exactly(0));
  for (std::uint64_t k = 1; k <= 350; ++k) {
    const std::uint64_t next = odometer.level_after(step);
    odometer.record(step);
    EXPECT_EQ(odometer.reading(0, kDelta).level, next);
    EXPECT_EQ(next, (k + 99) / 100);
    const double truth = std::sqrt(static_cast<double>(k)) / 100;
    EXPECT_GE(odometer.reading(0, kDelta).mu->upper, truth * (1 - 1e-15))
        << "never below what was spent";
    EXPECT_NEAR(odometer.reading(0, kDelta).mu->upper, std::sqrt(static_cast<double>(next)) / 10,
                1e-9);
  }
  EXPECT_TRUE(odometer.reading(0, kDelta).guarantee.adaptive);
  EXPECT_TRUE(odometer.reading(0, kDelta).guarantee.certified);
  EXPECT_THROW(odometer.record(Step{.noise = 1, .clip = 1, .rate = 0.5}), Error);
}

TEST(GdpOdometer, BeyondTheLastLevelNothingIsSaid) {
  const std::vector<Budget> levels = {MuBudget{1}, EpsilonBudget{.epsilon = 10, .delta = 1e-5}};
  Odometer odometer(gdp_currency(), levels_of(*gdp_currency(), levels));
  odometer.record(Mu{1});
  EXPECT_EQ(odometer.reading(0, kDelta).level, 1u);
  EXPECT_EQ(odometer.reading(0, kDelta).mu->upper, 1);
  odometer.record(Mu{1e-9});
  EXPECT_EQ(odometer.reading(0, kDelta).level, 2u);
  EXPECT_EQ(odometer.level_after(Mu{5}), kNoLevel);
  odometer.record(Mu{200});
  EXPECT_EQ(odometer.reading(0, kDelta).level, kNoLevel);
  // Nor that it is much: who is past the last level may have spent hardly more than that.
  EXPECT_EQ(odometer.reading(0, kDelta).mu, kAnything);
  EXPECT_EQ(odometer.reading(0, kDelta).epsilon, kAnything);
  EXPECT_EQ(odometer.reached(kDelta).front(), kAnything);
  const std::vector<Budget> backwards = {MuBudget{1}, MuBudget{0.5}};
  EXPECT_THROW(levels_of(*gdp_currency(), backwards), Error);
  EXPECT_THROW(gdp_odometer(MuBudget{0}), Error);
}

TEST(IndividualGdpOdometer, EveryPersonHasALevelOfTheirOwn) {
  const Step step = {.noise = 10};
  const Levels levels = levels_of(*gdp_currency(), StepsBudget{.step = step, .steps = 4});
  Odometer odometer(4, gdp_currency(), levels);
  const std::vector<double> norms = {1, 0.5, 0, 7};
  std::vector<std::uint64_t> next(4);
  for (int k = 0; k < 9; ++k) {
    odometer.levels_after(step, norms, next);
    odometer.record(step, norms);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(odometer.reading(i, kDelta).level, next[i]);
  }
  EXPECT_EQ(next, (std::vector<std::uint64_t>{3, 1, 0, 3}));
  EXPECT_THROW(odometer.record(step, std::vector<double>{1, 1, -1, 1}), Error);
  EXPECT_EQ(odometer.steps(), 9u);
  EXPECT_EQ(odometer.reached(), next);
  const Odometer restored{Odometer::State(odometer.state())};
  EXPECT_EQ(restored.reading(0, kDelta).mu, odometer.reading(0, kDelta).mu);
  EXPECT_TRUE(restored.state() == odometer.state());
  const std::vector<Bound> spent = odometer.reached(kDelta);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(spent[i], odometer.reading(i, kDelta).epsilon);
  EXPECT_EQ(spent[2], exactly(0));
}

// eps at a delta is that of the level's mu, and infinite beyond the last level.
TEST(GdpOdometer, ALevelIsWorthTheEpsOfItsMu) {
  const std::vector<Budget> levels = {MuBudget{1}, MuBudget{2}};
  Odometer odometer(2, gdp_currency(), levels_of(*gdp_currency(), levels));
  odometer.record({.noise = 0.9}, std::vector<double>{1, 0.1});
  EXPECT_EQ(odometer.reading(0, kDelta).epsilon.upper,
            gdp::epsilon({.mu = 2, .delta = kDelta}).upper);
  odometer.record({.noise = 0.1}, std::vector<double>{1, 0});
  EXPECT_EQ(odometer.reached(), (std::vector<std::uint64_t>{kNoLevel, 1}));
  EXPECT_EQ(odometer.reached(kDelta)[0].upper, kInfinity);
  EXPECT_LT(odometer.reached(kDelta)[1].upper, kInfinity);
}

TEST(RenyiOdometer, ALevelIsWorthTheEpsOfItsSteps) {
  const Step step = {.noise = 1, .clip = 1, .rate = 0.05};
  const std::vector<Order> orders = default_orders();
  const CurrencyPtr currency = renyi_currency(orders);
  Odometer odometer(currency, levels_of(*currency, StepsBudget{.step = step, .steps = 10}));
  for (std::uint64_t k = 1; k <= 25; ++k) {
    EXPECT_EQ(odometer.level_after(step), (k + 9) / 10);
    odometer.record(step);
    EXPECT_EQ(odometer.reading(0, 1e-5).level, (k + 9) / 10);
  }
  const Plan plan = {entry({.noise = 1, .rate = 0.05, .steps = 30})};
  const Bound truth = renyi::at_delta(plan, 1e-5, orders).epsilon;
  EXPECT_GE(odometer.reading(0, 1e-5).epsilon.upper, truth.lower);
  EXPECT_NEAR(odometer.reading(0, 1e-5).epsilon.upper, truth.upper, 1e-9);
  EXPECT_TRUE(odometer.reading(0, 1e-5).guarantee.adaptive);
}

TEST(RenyiOdometer, BeyondTheLastLevelNothingIsSaid) {
  const std::vector<Budget> levels = {MuBudget{1}};
  const CurrencyPtr currency = renyi_currency({2, 4});
  Odometer odometer(currency, levels_of(*currency, levels));
  EXPECT_EQ(odometer.reading(0, 1e-5).epsilon, exactly(0));
  odometer.record(Step{.noise = 1});
  EXPECT_EQ(odometer.reading(0, 1e-5).level, 1u);
  EXPECT_EQ(odometer.level_after(Step{.noise = 100}), kNoLevel);
  odometer.record(Step{.noise = 100});
  EXPECT_EQ(odometer.reading(0, 1e-5).epsilon, kAnything);
}

TEST(RenyiOdometer, OrdersBeyondCountingDoNotSpoilTheOthers) {
  const Step step = {.noise = 1, .clip = 1, .rate = 0.001};
  const CurrencyPtr currency = renyi_currency({2, 64});
  Odometer odometer(currency, levels_of(*currency, StepsBudget{.step = step, .steps = 100}));
  for (int k = 0; k < 2000; ++k) odometer.record(step);
  EXPECT_EQ(odometer.state().spent[1], kMostUnits);
  EXPECT_EQ(odometer.reading(0, 1e-5).level, 20u);
  EXPECT_LT(odometer.reading(0, 1e-5).epsilon.upper, 20);
}

TEST(IndividualRenyiOdometer, EveryPersonHasALevelOfTheirOwn) {
  const Step step = {.noise = 2, .clip = 3, .rate = 0.1};
  const CurrencyPtr currency = renyi_currency({2, 8});
  Odometer odometer(3, currency, levels_of(*currency, StepsBudget{.step = step, .steps = 2}));
  const std::vector<float> norms = {5, 0.3F, 0};
  std::vector<std::uint64_t> next(3);
  for (int k = 0; k < 5; ++k) {
    odometer.levels_after(step, norms, next);
    odometer.record(step, norms);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(odometer.reading(i, 1e-5).level, next[i]);
  }
  EXPECT_EQ(next, (std::vector<std::uint64_t>{3, 1, 0}));
  const Odometer restored{Odometer::State(odometer.state())};
  EXPECT_EQ(restored.reading(0, 1e-5).epsilon, odometer.reading(0, 1e-5).epsilon);
  EXPECT_THROW(odometer.record(step, std::vector<float>{1, 1}), Error);
}

// Nobody's memory but that of a person who is there is read.
TEST(Odometer, AndFiltersRefusePeopleWhoAreNotThere) {
  const Budgets two = {.kinds = {MuBudget{1}, MuBudget{2}}, .kind_of = {0, 1}};
  for (const CurrencyPtr& currency : {gdp_currency(), renyi_currency({2, 3})}) {
    const Filter filter(2, currency, two);
    EXPECT_THROW(filter.spent(2, 1e-5), Error);
    EXPECT_THROW(filter.budget(2, 1e-5), Error);
    EXPECT_THROW(filter.spent_mu(2), Error);
    EXPECT_THROW(filter.budget_mu(2), Error);
    const Odometer odometer(2, currency, levels_of(*currency, MuBudget{1}));
    EXPECT_THROW(odometer.reading(2, 1e-5), Error);
  }
}

}  // namespace
}  // namespace ration
