#include "ration/control/gdp_currency.h"

#include <gtest/gtest.h>

#include <string>

#include "ration/compose/compose.h"
#include "ration/control/filter.h"
#include "ration/loss/gdp.h"
#include "tests/refusal.h"

namespace ration {
namespace {

Filter gdp_filter(const Budget& budget) { return {gdp_currency(), budget}; }
Filter gdp_filter(Units budget, Units spent) {
  return Filter({.currency = gdp_currency(),
                 .scope = Scope::everybody_at_once,
                 .spent = {spent},
                 .budgets = {budget}});
}

std::uint64_t steps_admitted(Filter filter, const Step& step) {
  while (filter.state().steps < 100'000 && filter.admit(step)) {
  }
  return filter.state().steps;
}

// The largest k at sigma = 100 and delta = 1e-5, by the closed form in 30 digits.
TEST(GdpFilter, AdmitsTheLargestNumberOfStepsOfTheReferenceTable) {
  struct Row {
    double epsilon;
    std::uint64_t steps;
  };
  for (const Row& row : {Row{0.1, 10}, Row{0.2, 37}, Row{0.3, 79}, Row{0.5, 202}, Row{0.8, 478},
                         Row{1.0, 718}, Row{2.0, 2515}, Row{5.0, 12571}}) {
    const Filter filter = gdp_filter(EpsilonBudget{.epsilon = row.epsilon, .delta = 1e-5});
    EXPECT_EQ(steps_admitted(filter, {.noise = 100}), row.steps) << row.epsilon;
  }
}

TEST(IndividualGdpFilter, AdmitsStep478AndHaltsStep479AtEps0_8) {
  Filter filter(1, gdp_currency(), EpsilonBudget{.epsilon = 0.8, .delta = 1e-5});
  const std::vector<double> norms = {1};
  std::vector<std::uint8_t> mask(1);
  for (int step = 1; step <= 478; ++step) {
    filter.admit({.noise = 100}, norms, mask);
    ASSERT_EQ(mask[0], 1) << step;
  }
  filter.admit({.noise = 100}, norms, mask);
  EXPECT_EQ(mask[0], 0);
}

TEST(GdpFilter, ABudgetOfFiftyWorstCaseStepsIsFiftyOfThem) {
  for (const double noise : {0.7, 1.0, 10.614652581338738, 100.0, 1e8}) {
    const Step step = {.noise = noise};
    const Filter filter = gdp_filter(StepsBudget{.step = step, .steps = 50});
    EXPECT_EQ(steps_admitted(filter, step), 50u) << noise;
  }
}

TEST(GdpFilter, ABudgetThatIsUsedUpExactlyAdmitsTheLastStep) {
  EXPECT_EQ(steps_admitted(gdp_filter(MuBudget{2}), {.noise = 1}), 4u);
  EXPECT_EQ(steps_admitted(gdp_filter(MuBudget{0.5}), {.noise = 16}), 64u);
  Filter filter = gdp_filter(MuBudget{5});
  EXPECT_TRUE(filter.admit(Mu{3}));
  EXPECT_FALSE(filter.admit(Mu{4.0000001}));
  EXPECT_TRUE(filter.admit(Mu{4}));
  EXPECT_FALSE(filter.admit(Mu{1e-300}));
  EXPECT_TRUE(filter.admit(Mu{0}));
  EXPECT_DOUBLE_EQ(filter.spent_mu(0)->upper, 5);
  EXPECT_GE(filter.spent_mu(0)->upper, 5);
  EXPECT_TRUE(filter.guarantee().adaptive);
}

TEST(GdpFilter, AHaltedStepCostsNothingAndASmallerOneIsAdmitted) {
  Filter filter = gdp_filter(MuBudget{1});
  EXPECT_FALSE(filter.admit(Step{.noise = 0.5}));
  EXPECT_EQ(filter.state().spent[0], 0u);
  EXPECT_TRUE(filter.admit(Step{.noise = 1}));
}

TEST(GdpFilter, AChargeThatStoppedCountingFitsIntoNoBudget) {
  Filter filter = gdp_filter(kLargestBudget, 0);
  EXPECT_FALSE(filter.admit(Step{.noise = 1e-4}));
  EXPECT_FALSE(filter.admit(Mu{20000}));
}

TEST(GdpFilter, RefusesWithReasons) {
  Filter filter = gdp_filter(MuBudget{1});
  const std::string sampled =
      refusal([&] { filter.admit(Step{.noise = 1, .clip = 1, .rate = 0.5}); });
  EXPECT_NE(sampled.find("rate is 0.5: give 1, or use a Renyi filter"), std::string::npos);
  EXPECT_EQ(refusal([] { gdp_filter(MuBudget{200}); }), "budget mu is 200: give at most 127.9");
  EXPECT_NE(refusal([] { gdp_filter(EpsilonBudget{.epsilon = 1, .delta = 1}); }), "accepted");
  EXPECT_NE(refusal([] { gdp_filter(StepsBudget{.step = {.noise = 1}, .steps = 1e15}); }),
            "accepted");
  EXPECT_NE(refusal([] { gdp_filter(3, 4); }), "accepted");
}

TEST(Currency, APldFilterIsRefusedWithTheReason) {
  EXPECT_EQ(currency_named("gdp")->name(), "gdp");
  EXPECT_EQ(currency_named("rdp")->name(), "rdp");
  const std::string reason = refusal([] { currency_named("pld"); });
  EXPECT_NE(reason.find("chosen adaptively may not be composed in general"), std::string::npos);
  EXPECT_EQ(refusal([] { currency_named("contour"); }),
            "filter is contour: give gdp, rdp or tight");
  EXPECT_EQ(refusal([] { currency_named("gdp", {2}); }),
            "orders belong to filter rdp: leave them out, or choose rdp");
}

// Options, settings and state files call a currency by name: each is found again, and equal.
TEST(Currency, IsFoundAgainByItsNames) {
  for (const char* name : {"gdp", "rdp"}) {
    const CurrencyPtr currency = currency_named(name);
    EXPECT_EQ(currency->name(), name);
    const CurrencyInState* const known = currency_in_state(currency->state_name());
    ASSERT_NE(known, nullptr);
    std::vector<std::vector<double>> numbers;
    for (const auto& [section, values] : currency->numbers()) {
      EXPECT_EQ(section, known->sections.at(numbers.size()));
      numbers.push_back(values);
    }
    EXPECT_EQ(known->sections.size(), numbers.size());
    EXPECT_TRUE(*known->made_from(numbers) == *currency);
  }
  EXPECT_FALSE(*currency_named("gdp") == *currency_named("rdp"));
  EXPECT_FALSE(*currency_named("rdp", {2}) == *currency_named("rdp", {3}));
  EXPECT_EQ(currency_in_state("rdp"), nullptr);
}

constexpr double kDelta = 1e-5;
const std::vector<double> kNorms = {1, 0.5, 0, 2};

void take(Filter& filter, const Step& step, int times) {
  std::vector<std::uint8_t> mask(kNorms.size());
  for (int k = 0; k < times; ++k) filter.admit(step, kNorms, mask);
}

TEST(GdpFilter, WhatEverybodyHasSpentIsTheEpsOfTheirSumOfSquares) {
  const Step step = {.noise = 10};
  Filter filter(kNorms.size(), gdp_currency(), MuBudget{5});
  take(filter, step, 100);
  const auto spent = filter.spent(kDelta);
  const std::vector<double> mus = {1, 0.5, 0, 1};  // 100 steps at norm / 10, clipped to 1
  for (std::size_t i = 0; i < mus.size(); ++i) {
    const Bound truth = gdp::epsilon({.mu = mus[i], .delta = kDelta});
    EXPECT_GE(spent[i].upper, truth.lower);  // charges are rounded up
    EXPECT_NEAR(spent[i].upper, truth.upper, 1e-9);
    EXPECT_EQ(spent[i], gdp::epsilons(std::vector{*filter.spent_mu(i)}, kDelta)[0]);
    EXPECT_NEAR(filter.spent(i, kDelta).upper, spent[i].upper, 1e-9);
  }
}

}  // namespace
}  // namespace ration
