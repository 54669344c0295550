#include "ration/control/individual_renyi_filter.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/base/error.h"
#include "ration/loss/rdp.h"
#include "tests/oracle/random.h"
#include "tests/oracle/rational.h"

namespace ration {
namespace {

using oracle::Rational;
using Mask = std::vector<std::uint8_t>;

TEST(RenyiRule, ChargesOfSampledStepsLieJustAboveTheDivergence) {
  oracle::Random random(51);
  const std::vector<Order> orders = {1.3, 2, 7.5, 40};
  for (int i = 0; i < oracle::cases() / 200; ++i) {
    const Step step = {.noise = random.log_uniform(0.3, 100),
                       .clip = random.log_uniform(0.1, 10),
                       .rate = random.log_uniform(1e-4, 0.9)};
    RenyiRule rule(step, orders);
    const double part = random.coin(0.2) ? std::ldexp(1, -static_cast<int>(random.uniform(0, 6)))
                                         : random.log_uniform(1e-3, 1);
    const std::vector<double> norms = {part * step.clip};
    rule.prepare(norms);
    std::vector<Units> charge(orders.size());
    rule.charge(norms[0], charge);
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

TEST(RenyiRule, TheSmallestNormCostsAUnitAndZeroIsFree) {
  for (const double rate : {1.0, 0.1}) {
    RenyiRule rule({.noise = 1, .clip = 1, .rate = rate}, default_orders());
    const std::vector<double> norms = {0, std::numeric_limits<double>::denorm_min(), 1e-200};
    rule.prepare(norms);
    std::vector<Units> charge(default_orders().size());
    rule.charge(0, charge);
    EXPECT_EQ(std::count(charge.begin(), charge.end(), 0), 18);
    for (const double norm : {norms[1], norms[2]}) {
      rule.charge(norm, charge);
      EXPECT_GE(*std::min_element(charge.begin(), charge.end()), 1u);
    }
  }
}

// Without sampling everything is a fraction: order mu^2 / 2.
TEST(IndividualRenyiFilter, AdaptiveSequencesAgreeWithExactFractions) {
  oracle::Random random(52);
  for (int i = 0; i < oracle::cases() / 5; ++i) {
    const std::vector<Order> orders = {1.25, random.uniform(1.3, 10), 32};
    const double mu = random.log_uniform(0.01, 5);
    const Rational square = (Rational(mu) * Rational(mu)).scaled(50);
    IndividualRenyiFilter filter(1, orders, MuBudget{mu});
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
  IndividualRenyiFilter filter(people, {2, 8, 32}, two_kinds(people));
  Outcome outcome;
  for (const auto& row : rows) {
    if (restore) filter = IndividualRenyiFilter(IndividualRenyiFilter::State(filter.state()));
    outcome.masks.emplace_back(people);
    filter.admit({.noise = 1, .clip = 2, .rate = 0.1}, row, outcome.masks.back());
  }
  outcome.spent = filter.state().spent;
  return outcome;
}

TEST(IndividualRenyiFilter, ThreadsAndRestoringChangeNothing) {
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

TEST(IndividualRenyiFilter, WhoIsLeftOutPaysNothingAndIsAdmittedAgain) {
  const Step step = {.noise = 1, .clip = 1, .rate = 0.1};
  IndividualRenyiFilter filter(2, default_orders(), StepsBudget{.step = step, .steps = 2});
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

TEST(IndividualRenyiFilter, RefusesWhatIsNotANormAndNobodyIsCharged) {
  IndividualRenyiFilter filter(3, {2, 4}, MuBudget{1});
  Mask mask(3);
  EXPECT_THROW(filter.admit({.noise = 1}, std::vector<double>{0.1, NAN, 0.1}, mask), Error);
  EXPECT_THROW(filter.admit({.noise = 1}, std::vector<double>{0.1, 0.1}, mask), Error);
  EXPECT_EQ(filter.state().spent, std::vector<Units>(6));
  EXPECT_EQ(filter.steps(), 0u);
  using State = IndividualRenyiFilter::State;
  const State over = {.orders = {2}, .spent = {5}, .budgets = {4}, .kind_of = {}};
  EXPECT_THROW(IndividualRenyiFilter{over}, Error);
  const State unknown = {.orders = {2}, .spent = {1}, .budgets = {4}, .kind_of = {1}};
  EXPECT_THROW(IndividualRenyiFilter{unknown}, Error);
  const State empty = {.orders = {2}, .spent = {1}, .budgets = {}, .kind_of = {}};
  EXPECT_THROW(IndividualRenyiFilter{empty}, Error);
}

// Small numbers meet the edges; large ones those of 64 bits; some orders limit nothing.
TEST(IndividualRenyiFilter, RepeatsAreAsManyAsFitOneByOne) {
  oracle::Random random(3);
  for (int i = 0; i < oracle::cases(); ++i) {
    const double scale = random.coin(0.5) ? 30 : 0x1p63;
    const auto number = [&] { return 1 + static_cast<Units>(random.uniform(0, scale)); };
    const std::vector<Units> charge = {number(), number()};
    const std::vector<Units> budget = {random.coin(0.3) ? kMostUnits : 3 * number(), number()};
    std::vector<Units> spent = {std::min(number(), budget[0]), std::min(number(), budget[1])};
    std::vector<Units> at_once = spent;
    const auto most = static_cast<std::uint32_t>(random.uniform(0, 40));
    std::uint32_t times = 0;
    for (; times < most && fits(charge, spent.data(), budget.data()); ++times) {
      add_to(spent.data(), charge);
    }
    ASSERT_EQ(times_that_fit(charge, at_once.data(), budget.data(), most), times);
    add_to(at_once.data(), charge, times);
    ASSERT_EQ(at_once, spent);
  }
}

}  // namespace
}  // namespace ration
