#include "ration/control/renyi_currency.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "ration/base/error.h"
#include "ration/compose/accountants.h"
#include "ration/compose/compose.h"
#include "ration/control/filter.h"
#include "ration/loss/rdp.h"
#include "tests/oracle/random.h"
#include "tests/oracle/rational.h"
#include "tests/refusal.h"

namespace ration {
namespace {

using oracle::Rational;
using Mask = std::vector<std::uint8_t>;

Filter renyi_filter(std::vector<Order> orders, const Budget& budget) {
  return {renyi_currency(std::move(orders)), budget};
}
Filter renyi_filter(std::vector<Order> orders, Row budget, Row spent) {
  return Filter({.currency = renyi_currency(std::move(orders)),
                 .scope = Scope::everybody_at_once,
                 .spent = std::move(spent),
                 .budgets = std::move(budget)});
}

std::uint64_t steps_admitted(Filter filter, const Step& step) {
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

// The largest k at sigma = 100 and delta = 1e-5, by the Renyi conversion in 30 digits.
TEST(RenyiFilter, AdmitsTheLargestNumberOfStepsOfTheReferenceTable) {
  struct Row {
    double epsilon;
    std::uint64_t dense, whole;
  };
  for (const Row& row :
       {Row{0.1, 8, 0}, Row{0.2, 31, 0}, Row{0.3, 66, 45}, Row{0.5, 170, 170}, Row{0.8, 405, 405},
        Row{1.0, 611, 611}, Row{2.0, 2165, 2163}, Row{5.0, 11019, 10989}}) {
    const EpsilonBudget budget = {.epsilon = row.epsilon, .delta = 1e-5};
    EXPECT_EQ(steps_admitted(renyi_filter(dense_orders(), budget), {.noise = 100}), row.dense);
    if (row.whole == 0) {
      EXPECT_NE(refusal([&] { renyi_filter(whole_orders(), budget); }).find("out of reach"),
                std::string::npos);
    } else {
      EXPECT_EQ(steps_admitted(renyi_filter(whole_orders(), budget), {.noise = 100}), row.whole);
    }
  }
}

TEST(RenyiFilter, OneFixedOrderDoesAsWellWhereItIsTheBest) {
  const EpsilonBudget budget = {.epsilon = 0.8, .delta = 1e-5};
  EXPECT_EQ(steps_admitted(renyi_filter({21.4}, budget), {.noise = 100}), 405u);
  EXPECT_LT(steps_admitted(renyi_filter({30}, budget), {.noise = 100}), 405u);
  EXPECT_EQ(refusal([&] { renyi_filter({2}, budget); }),
            "budget epsilon = 0.8 at delta = 1e-05 is out of reach of order 2: give larger orders, "
            "a larger epsilon or a larger delta");
}

TEST(RenyiFilter, AThousandSubsampledStepsFitExactlyAndAreWorthTheirEps) {
  const Step step = {.noise = 1, .clip = 3, .rate = 0.01};
  const Filter filter = renyi_filter(default_orders(), StepsBudget{.step = step, .steps = 1000});
  EXPECT_EQ(steps_admitted(filter, step), 1000u);
  const Plan plan = {entry({.noise = 1, .rate = 0.01, .steps = 1000})};
  const Bound plain = renyi::at_delta(plan, 1e-5, default_orders()).epsilon;
  EXPECT_GE(filter.budget(0, 1e-5).upper, plain.lower);
  EXPECT_NEAR(filter.budget(0, 1e-5).upper, plain.upper, 1e-9);
}

TEST(RenyiFilter, ABudgetInEpsIsNeverWorthMoreThanThatEps) {
  for (const double epsilon : {0.5, 1.0, 3.0, 8.0}) {
    for (const double rate : {1.0, 0.3, 0.01}) {
      const EpsilonBudget budget = {
          .epsilon = epsilon, .delta = 1e-5, .shape = Step{.noise = 2, .clip = 1, .rate = rate}};
      const Filter filter = renyi_filter(default_orders(), budget);
      // The order that gives the guarantee stays below eps, whatever the conversion's rounding.
      EXPECT_LE(filter.budget(0, 1e-5).lower, epsilon);
      EXPECT_NEAR(filter.budget(0, 1e-5).upper, epsilon, 1e-9);
    }
  }
}

// The step's own curve fits its budget best: another shape stops earlier, never later.
TEST(RenyiFilter, TheShapeOfTheStepsAdmitsAsManyAsTheAccountantAllows) {
  const Step step = {.noise = 2, .clip = 1, .rate = 0.01};
  const std::vector<Order> orders = default_orders();
  const Filter shaped =
      renyi_filter(orders, EpsilonBudget{.epsilon = 1, .delta = 1e-5, .shape = step});
  const std::uint64_t steps = steps_admitted(shaped, step);
  const auto epsilon = [&](std::uint64_t k) {
    const Plan plan = {entry({.noise = 2, .rate = 0.01, .steps = static_cast<double>(k)})};
    return renyi::at_delta(plan, 1e-5, orders).epsilon;
  };
  EXPECT_LE(epsilon(steps).lower, 1);
  EXPECT_GT(epsilon(steps + 1).upper, 1);
  const Filter gaussian = renyi_filter(orders, EpsilonBudget{.epsilon = 1, .delta = 1e-5});
  EXPECT_LE(steps_admitted(gaussian, step), steps);
}

TEST(RenyiFilter, AMuBudgetThatIsUsedUpExactlyAdmitsTheLastStep) {
  EXPECT_EQ(steps_admitted(renyi_filter({1.5, 2, 32}, MuBudget{2}), {.noise = 1}), 4u);
  Filter filter = renyi_filter({2}, MuBudget{1});
  EXPECT_FALSE(filter.admit(Step{.noise = 0.5}));
  EXPECT_EQ(filter.state().spent[0], 0u);
  EXPECT_TRUE(filter.admit(Step{.noise = 1}));
  EXPECT_FALSE(filter.admit(Step{.noise = 1e8}));
  EXPECT_TRUE(filter.guarantee().adaptive);
}

TEST(RenyiFilter, EveryOrderMustHold) {
  // One large order is used up long before the small one.
  Filter both = renyi_filter({2, 64}, {Units{1} << 50, 1000}, {0, 0});
  EXPECT_FALSE(both.admit(Step{.noise = 10}));
  EXPECT_EQ(both.state().spent, (std::vector<Units>{0, 0}));
  Filter first = renyi_filter({2}, {Units{1} << 50}, {0});
  EXPECT_TRUE(first.admit(Step{.noise = 10}));
}

// 10^4 steps at noise 1 and order 64 are a divergence of 3e5, beyond what is counted and of no use.
TEST(RenyiFilter, AnOrderWhoseBudgetIsBeyondCountingLimitsNothingAndClaimsNothing) {
  const Step step = {.noise = 1, .clip = 1, .rate = 0.001};
  Filter filter = renyi_filter({2, 64}, StepsBudget{.step = step, .steps = 10'000});
  EXPECT_EQ(filter.state().budgets[1], kMostUnits);
  EXPECT_LT(filter.state().budgets[0], Units{1} << 50);
  EXPECT_EQ(steps_admitted(filter, step), 10'000u);
  const Filter alone = renyi_filter({2}, StepsBudget{.step = step, .steps = 10'000});
  EXPECT_EQ(filter.budget(0, 1e-5), alone.budget(0, 1e-5));
  EXPECT_FALSE(filter.admit(Step{.noise = 1e-4}));
}

TEST(RenyiFilter, RefusesWithReasons) {
  EXPECT_NE(refusal([] { renyi_filter({}, MuBudget{1}); }), "accepted");
  EXPECT_EQ(refusal([] {
              renyi_filter({3, 2}, MuBudget{1});
            }),
            "order 2 follows 3: give orders that increase");
  std::vector<Order> many;
  for (int i = 0; i < 5000; ++i) many.emplace_back(2 + i);
  EXPECT_EQ(refusal([&] { renyi_filter(many, MuBudget{1}); }),
            "number of orders is 5000: give at most 4096");
  EXPECT_NE(refusal([] { renyi_filter({1e6}, MuBudget{10}); }).find("more than 16384"),
            std::string::npos);
  Filter filter = renyi_filter({2}, MuBudget{1});
  EXPECT_NE(refusal([&] { filter.admit(Step{.noise = 0.005, .clip = 1, .rate = 0.5}); }),
            "accepted");
  EXPECT_FALSE(filter.admit(Step{.noise = 1e-4}));
  EXPECT_NE(refusal([] { renyi_filter({2}, {3}, {4}); }), "accepted");
  EXPECT_NE(refusal([] { renyi_filter({2}, {3, 3}, {1}); }), "accepted");
}

TEST(RenyiPrice, ChargesOfSampledStepsLieJustAboveTheDivergence) {
  oracle::Random random(51);
  const std::vector<Order> orders = {1.3, 2, 7.5, 40};
  for (int i = 0; i < oracle::cases() / 200; ++i) {
    const Step step = {.noise = random.log_uniform(0.3, 100),
                       .clip = random.log_uniform(0.1, 10),
                       .rate = random.log_uniform(1e-4, 0.9)};
    const auto price = renyi_currency(orders)->price(step);
    const double part = random.coin(0.2) ? std::ldexp(1, -static_cast<int>(random.uniform(0, 6)))
                                         : random.log_uniform(1e-3, 1);
    const std::vector<double> norms = {part * step.clip};
    price->prepare(norms);
    Row charge(orders.size());
    price->charges(norms, charge.data());
    const SubsampledGaussian share = {.noise = step.noise * step.clip / norms[0],
                                      .rate = step.rate};
    for (std::size_t k = 0; k < orders.size(); ++k) {
      const Bound truth = rdp::divergence(share, orders[k]);
      const double charged = static_cast<double>(charge[k]) * kUnit;
      EXPECT_GE(charged, truth.lower * (1 - 1e-13));  // the ratio above is rounded
      // D grows with the square of the ratio's share, or faster where it is large.
      const double slack = 0.009 + 0.3 * truth.upper * (1 + 1 / (share.noise * share.noise));
      EXPECT_LE(charged, truth.upper * (1 + slack) + 2 * kUnit) << share.noise << " " << orders[k];
    }
  }
}

TEST(RenyiPrice, TheSmallestNormCostsAUnitAndZeroIsFree) {
  for (const double rate : {1.0, 0.1}) {
    const auto price =
        renyi_currency(default_orders())->price({.noise = 1, .clip = 1, .rate = rate});
    const std::vector<double> norms = {0, std::numeric_limits<double>::denorm_min(), 1e-200};
    price->prepare(norms);
    std::vector<Units> charges(3 * 18);
    price->charges(norms, charges.data());
    EXPECT_EQ(std::count(charges.begin(), charges.begin() + 18, 0), 18);
    EXPECT_GE(*std::min_element(charges.begin() + 18, charges.end()), 1u);
  }
}

// Without sampling everything is a fraction: order mu^2 / 2.
TEST(RenyiFilter, AdaptiveSequencesAgreeWithExactFractions) {
  oracle::Random random(52);
  for (int i = 0; i < oracle::cases() / 5; ++i) {
    const std::vector<Order> orders = {1.25, random.uniform(1.3, 10), 32};
    const double mu = random.log_uniform(0.01, 5);
    const Rational square = (Rational(mu) * Rational(mu)).scaled(50);
    Filter filter(1, renyi_currency(orders), MuBudget{mu});
    Rational exact;
    std::uint64_t charged = 0;
    double noise = random.log_uniform(0.2, 3) / mu;
    for (int j = 0; j < 20; ++j) {
      const Step step = {.noise = std::max(noise, 1e-3)};
      const std::vector<double> norms = {random.coin(0.2) ? 1 : random.log_uniform(1e-6, 1)};
      const Rational ratio = Rational(norms[0]) / Rational(double{step.noise});
      const Rational with = exact + (ratio * ratio).scaled(50);
      const std::vector<Units> before = filter.state().spent;
      Mask mask(1);
      filter.admit(step, norms, mask);
      if (mask[0] != 0) {
        exact = with;
        ++charged;
        EXPECT_TRUE(exact <= square);
        for (std::size_t k = 0; k < orders.size(); ++k) {
          EXPECT_TRUE(exact * Rational(orders[k] / 2) <= Rational(filter.state().spent[k]));
        }
      } else {
        // Each charge is at most two units of mu^2 and, at order 1.25, two more of these too large.
        EXPECT_TRUE(square < with + Rational(4 * (charged + 1) + 4));
        EXPECT_EQ(filter.state().spent, before);
      }
      noise *= mask[0] != 0 ? random.uniform(0.7, 1.2) : random.uniform(1, 3);
    }
  }
}

struct Outcome {
  std::vector<Mask> masks;
  std::vector<Units> spent;
};
std::vector<std::vector<float>> random_rows(std::size_t people) {
  oracle::Random random(53);
  std::vector<std::vector<float>> rows(8, std::vector<float>(people));
  for (auto& row : rows) {
    for (float& x : row) x = static_cast<float>(random.coin(0.1) ? 0 : random.uniform(0.5, 2.5));
  }
  return rows;
}
Budgets two_kinds(std::size_t people) {
  const Step step = {.noise = 1, .clip = 2, .rate = 0.1};
  Budgets budgets = {.kinds = {StepsBudget{.step = step, .steps = 2},
                               EpsilonBudget{.epsilon = 4, .delta = 1e-5, .shape = step}}};
  for (std::size_t i = 0; i < people; ++i) budgets.kind_of.push_back(i % 2 == 0 ? 1 : 0);
  return budgets;
}
Outcome run(const std::vector<std::vector<float>>& rows, bool restore) {
  const std::size_t people = rows[0].size();
  Filter filter(people, renyi_currency({2, 8, 32}), two_kinds(people));
  Outcome outcome;
  for (const auto& row : rows) {
    if (restore) filter = Filter(Filter::State(filter.state()));
    outcome.masks.emplace_back(people);
    filter.admit({.noise = 1, .clip = 2, .rate = 0.1}, row, outcome.masks.back());
  }
  outcome.spent = filter.state().spent;
  return outcome;
}

TEST(RenyiFilter, ThreadsAndRestoringChangeNothing) {
  const auto rows = random_rows(100'001);
  omp_set_num_threads(1);
  const Outcome alone = run(rows, false);
  for (const int threads : {2, 5}) {
    omp_set_num_threads(threads);
    const Outcome many = run(rows, threads == 5);
    EXPECT_EQ(many.masks, alone.masks);
    EXPECT_EQ(many.spent, alone.spent);
  }
  omp_set_num_threads(omp_get_num_procs());
  const auto admitted = std::count(alone.masks.back().begin(), alone.masks.back().end(), 1);
  EXPECT_GT(admitted, 1000);
  EXPECT_LT(admitted, 99'000);
}

TEST(RenyiFilter, AnyoneLeftOutPaysNothingAndIsAdmittedAgain) {
  const Step step = {.noise = 1, .clip = 1, .rate = 0.1};
  Filter filter(2, renyi_currency(default_orders()), StepsBudget{.step = step, .steps = 2});
  Mask mask(2);
  const auto admit = [&](double first, double second) {
    filter.admit(step, std::vector<double>{first, second}, mask);
    return mask;
  };
  EXPECT_EQ(admit(1, 1), (Mask{1, 1}));
  EXPECT_EQ(admit(0.5, 1), (Mask{1, 1}));
  const std::vector<Units> before = filter.state().spent;
  EXPECT_EQ(admit(1, 1), (Mask{0, 0}));
  EXPECT_EQ(filter.state().spent, before);
  EXPECT_EQ(admit(0.5, 0.01), (Mask{1, 0}));
  EXPECT_EQ(admit(0, 0), (Mask{1, 1}));
  EXPECT_LE(filter.spent(0, 1e-5).upper, filter.budget(0, 1e-5).upper);
  EXPECT_EQ(filter.spent(1, 1e-5), filter.budget(1, 1e-5));
}

TEST(RenyiFilter, RefusesWhatIsNotANormAndNobodyIsCharged) {
  Filter filter(3, renyi_currency({2, 4}), MuBudget{1});
  Mask mask(3);
  EXPECT_THROW(filter.admit({.noise = 1}, std::vector<double>{0.1, NAN, 0.1}, mask), Error);
  EXPECT_THROW(filter.admit({.noise = 1}, std::vector<double>{0.1, 0.1}, mask), Error);
  EXPECT_EQ(filter.state().spent, std::vector<Units>(6));
  EXPECT_EQ(filter.steps(), 0u);
  const auto state = [](Row spent, Row budgets, std::vector<std::uint32_t> kind_of) {
    return Filter::State{.currency = renyi_currency({2}),
                         .spent = std::move(spent),
                         .budgets = std::move(budgets),
                         .kind_of = std::move(kind_of)};
  };
  EXPECT_THROW(Filter(state({5}, {4}, {})), Error) << "over";
  EXPECT_THROW(Filter(state({1}, {4}, {1})), Error) << "an unknown kind";
  EXPECT_THROW(Filter(state({1}, {}, {})), Error) << "no budget";
}

TEST(RenyiFilter, WhatEverybodyHasSpentLiesAboveTheTightEps) {
  const Step step = {.noise = 1, .rate = 0.01};
  const std::vector<double> norms = {1, 0.5, 0, 2};
  Filter filter(norms.size(), renyi_currency(default_orders()),
                StepsBudget{.step = step, .steps = 500});
  Mask mask(norms.size());
  for (int k = 0; k < 500; ++k) filter.admit(step, norms, mask);
  const auto spent = filter.spent(1e-5);
  const auto tight = [&](double noise) {
    return compose({{SubsampledGaussian{.noise = noise, .rate = 0.01}, 500}}, 1e-5).epsilon;
  };
  EXPECT_GE(spent[0].upper, tight(1).lower);
  EXPECT_GE(spent[1].upper, tight(2).lower);
  EXPECT_LE(spent[0].upper, 1.5 * tight(1).upper);
  EXPECT_EQ(spent[2].upper, 0);
  EXPECT_EQ(spent[3], spent[0]);
}

// A mu-GDP mechanism is charged no less than the Gaussian query that is one.
TEST(RenyiFilter, AMuIsChargedAsTheGaussianThatHasIt) {
  const CurrencyPtr currency = renyi_currency({1.5, 2, 32});
  const Row query = currency->price({.noise = 4})->worst_case();
  EXPECT_EQ(currency->charge(Mu{0.25}), query);
  EXPECT_EQ(currency->charge(Mu{0}), Row(3));
  Filter filter(currency, MuBudget{0.5});
  for (int k = 0; k < 4; ++k) EXPECT_TRUE(filter.admit(Mu{0.25}));
  EXPECT_FALSE(filter.admit(Mu{1e-9}));
}

}  // namespace
}  // namespace ration
