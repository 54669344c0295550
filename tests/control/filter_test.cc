#include "ration/control/filter.h"
#include "ration/individual/spend.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "tests/oracle/random.h"
#include "tests/oracle/rational.h"
#include "tests/refusal.h"

namespace ration {
namespace {

using oracle::Rational;
using Mask = std::vector<std::uint8_t>;

Filter::State gdp_state(std::vector<Units> spent, std::vector<Units> budgets) {
  return {.currency = gdp_currency(), .spent = std::move(spent), .budgets = std::move(budgets)};
}

Rational exact_units(const Step& step, double norm) {
  const Rational ratio = Rational(std::min(norm, double{step.clip})) /
                         (Rational(double{step.clip}) * Rational(double{step.noise}));
  return (ratio * ratio).scaled(50);
}

double random_norm(oracle::Random& random, double clip) {
  if (random.coin(0.1)) return 0;
  return clip * (random.coin(0.2)   ? 2
                 : random.coin(0.5) ? random.log_uniform(1e-9, 1)
                                    : random.uniform(0, 1));
}

// Steps whose noise answers to who was admitted before, as an adaptive analyst's would. `exact` is
// what was truly spent, as a fraction.
TEST(Filter, AdaptiveSequencesAgreeWithExactFractions) {
  oracle::Random random(41);
  const Rational one(std::uint64_t{1});
  for (int i = 0; i < oracle::cases(); ++i) {
    const double mu = random.log_uniform(1e-3, 10);
    const Rational budget = (Rational(mu) * Rational(mu)).scaled(50);
    Filter filter(1, gdp_currency(), MuBudget{mu});
    Rational exact;
    std::uint64_t charged = 0;
    double noise = random.log_uniform(0.2, 3) / mu;
    for (int j = 0; j < 20; ++j) {
      const Step step = {.noise = std::max(noise, 1e-3), .clip = random.log_uniform(0.1, 10)};
      const std::vector<double> norms = {random_norm(random, step.clip)};
      const Units before = filter.state().spent[0];
      Mask mask(1);
      filter.admit(step, norms, mask);
      const Rational with = exact + exact_units(step, norms[0]);
      if (mask[0] != 0) {
        exact = with;
        charged += norms[0] > 0 ? 1 : 0;
        EXPECT_TRUE(exact <= budget);
        EXPECT_TRUE(exact <= Rational(filter.state().spent[0]));
        EXPECT_TRUE(Rational(filter.state().spent[0]) < exact + Rational(2 * charged + 1));
      } else {
        // Halted only when it would not have fitted, but for the rounding of budget and charges.
        EXPECT_TRUE(budget < with + Rational(2 * (charged + 1)) + one);
        EXPECT_EQ(filter.state().spent[0], before);
      }
      noise *= mask[0] != 0 ? random.uniform(0.7, 1.2) : random.uniform(1, 3);
    }
    const Rational upper(filter.spent_mu(0)->upper);
    EXPECT_TRUE(exact.scaled(-50) <= upper * upper);
  }
}

struct Outcome {
  std::vector<Mask> masks;
  std::vector<Units> spent;
};
template <class Real>
Outcome run(const std::vector<std::vector<Real>>& norms, const Budgets& budgets) {
  Filter filter(norms[0].size(), gdp_currency(), budgets);
  Outcome result;
  double noise = 3;
  for (const auto& row : norms) {
    result.masks.emplace_back(row.size());
    filter.admit({.noise = noise, .clip = 2}, row, result.masks.back());
    noise *= 0.9;
  }
  result.spent = filter.state().spent;
  return result;
}

std::vector<std::vector<float>> random_rows(std::size_t people, int steps) {
  oracle::Random random(42);
  std::vector<std::vector<float>> rows(static_cast<std::size_t>(steps), std::vector<float>(people));
  for (auto& row : rows) {
    for (float& x : row) x = static_cast<float>(random_norm(random, 2));
  }
  return rows;
}
Budgets two_kinds(std::size_t people) {
  Budgets budgets = {.kinds = {MuBudget{0.4}, EpsilonBudget{.epsilon = 3, .delta = 1e-5}}};
  for (std::size_t i = 0; i < people; ++i) budgets.kind_of.push_back(i % 3 == 0 ? 1 : 0);
  return budgets;
}

TEST(Filter, ThreadsAndInstructionSetsChangeNothing) {
  const std::size_t people = 200'003;
  const auto rows = random_rows(people, 12);
  const Budgets budgets = two_kinds(people);
  omp_set_num_threads(1);
  const Outcome alone = run(rows, budgets);
  for (const int threads : {2, 3, 7}) {
    omp_set_num_threads(threads);
    const Outcome many = run(rows, budgets);
    EXPECT_EQ(many.masks, alone.masks);
    EXPECT_EQ(many.spent, alone.spent);
  }
  omp_set_num_threads(omp_get_num_procs());
  const auto supported = hwy::SupportedTargets();
  for (auto rest = supported; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const Outcome other = run(rows, budgets);
    EXPECT_EQ(other.masks, alone.masks);
    EXPECT_EQ(other.spent, alone.spent);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Filter, TheOrderOfPeopleAndThePrecisionOfNormsChangeNothing) {
  const std::size_t people = 1001;
  const auto rows = random_rows(people, 12);
  const Outcome forward = run(rows, {.kinds = {MuBudget{0.5}}});
  auto reversed = rows;
  for (auto& row : reversed) std::reverse(row.begin(), row.end());
  Outcome backward = run(reversed, {.kinds = {MuBudget{0.5}}});
  for (auto& mask : backward.masks) std::reverse(mask.begin(), mask.end());
  EXPECT_EQ(backward.masks, forward.masks);
  std::vector<std::vector<double>> wide;
  for (const auto& row : rows) wide.emplace_back(row.begin(), row.end());
  EXPECT_EQ(run(wide, {.kinds = {MuBudget{0.5}}}).masks, forward.masks);
  std::size_t left_out = 0;
  for (const auto& mask : forward.masks) {
    left_out += static_cast<std::size_t>(std::count(mask.begin(), mask.end(), 0));
  }
  EXPECT_GT(left_out, people) << "the budget must bite for this test to say anything";
}

TEST(Filter, ABillionSmallestChargesAreCountedExactly) {
  const std::size_t people = 16'384;  // 2^14, one block
  const int steps = 61'036;           // 10^9 / 2^14, and a little
  const Units budget = steps - 1;     // in units, so that the last step finds an empty purse
  Filter filter(gdp_state(std::vector<Units>(people), {budget}));
  const std::vector<float> norms(people, 1e-30F);
  Mask mask(people);
  for (int i = 0; i < steps; ++i) {
    const bool last = i == steps - 1;
    filter.admit({.noise = 1e8}, norms, mask);
    if (last || i % 10'000 == 0) {
      EXPECT_EQ(std::count(mask.begin(), mask.end(), last ? 0 : 1), people);
    }
  }
  for (const Units spent : filter.state().spent) ASSERT_EQ(spent, budget);
}

TEST(Filter, AnyoneLeftOutPaysNothingAndIsAdmittedAgain) {
  Filter filter(3, gdp_currency(), MuBudget{1});
  Mask mask(3);
  const auto admit = [&](const std::vector<double>& norms) {
    filter.admit({.noise = 1}, norms, mask);
    return mask;
  };
  EXPECT_EQ(admit({0.8, 0.8, 0}), (Mask{1, 1, 1}));
  const std::vector<Units> before = filter.state().spent;
  EXPECT_EQ(admit({0.7, 0.7, 0}), (Mask{0, 0, 1}));
  EXPECT_EQ(filter.state().spent, before);
  EXPECT_EQ(admit({0.59, 0.7, 1}), (Mask{1, 0, 1}));
  EXPECT_EQ(admit({0, 0, 1e-9}), (Mask{1, 1, 0})) << "nothing costs nothing";
  EXPECT_EQ(filter.steps(), 4u);
}

TEST(Filter, ABudgetThatIsUsedUpExactlyAdmitsTheLastStep) {
  Filter filter(21, gdp_currency(), MuBudget{2});  // vectors and what is left over
  const std::vector<float> norms(21, 1);
  Mask mask(21);
  for (int step = 1; step <= 5; ++step) {
    filter.admit({.noise = 1}, norms, mask);
    EXPECT_EQ(mask, Mask(21, step <= 4 ? 1 : 0)) << step;
  }
}

template <class Real>
void expect_budgets_used_up(double noise) {
  oracle::Random random(43);
  const std::size_t people = 2000;
  Filter filter(people, gdp_currency(), two_kinds(people));
  const SpendRule rule({.noise = noise, .clip = 2});
  for (int step = 0; step < 30; ++step) {
    std::vector<Real> norms(people), factors(people);
    for (Real& x : norms) x = static_cast<Real>(random_norm(random, 2));
    const Filter::State before = filter.state();
    filter.admit_scaled({.noise = noise, .clip = 2}, std::span<const Real>(norms), factors);
    for (std::size_t i = 0; i < people; ++i) {
      const Units left = before.budgets[i] - before.spent[i];
      ASSERT_TRUE(factors[i] >= 0 && factors[i] <= 1);
      const Rational scaled = Rational(double{norms[i]}) * Rational(double{factors[i]});
      const Rational ratio = scaled / (Rational(2.0) * Rational(noise));
      ASSERT_TRUE(factors[i] == 1 || (ratio * ratio).scaled(50) <= Rational(left));
      if (factors[i] == 1) {
        ASSERT_EQ(filter.state().spent[i], before.spent[i] + rule.charge(norms[i]));
      } else {
        ASSERT_EQ(filter.state().spent[i], before.budgets[i]) << "the budget is used up exactly";
        // and not wasted: a little more would not fit
        const double more = norms[i] * (factors[i] * (1 + 4e-7) + 1e-37);
        ASSERT_TRUE(left < 1'000'000 || rule.charge(more) > left);
      }
    }
  }
  EXPECT_EQ(filter.state().spent, filter.state().budgets);
}
TEST(Filter, AScaledLastContributionUsesTheBudgetUp) {
  expect_budgets_used_up<double>(1.5);
  expect_budgets_used_up<float>(0.9);
  expect_budgets_used_up<double>(0.01);
}

TEST(Filter, RefusesWhatIsNotANormAndNobodyIsCharged) {
  Filter filter(40'000, gdp_currency(), MuBudget{0.13});
  std::vector<float> norms(40'000, 0.1F);
  for (std::size_t i = 0; i < norms.size(); i += 3) norms[i] = 0.05F;  // these fit twice
  norms[5] = -0.0F;
  Mask mask(40'000);
  filter.admit({.noise = 1}, norms, mask);
  const std::vector<Units> before = filter.state().spent;
  for (const float wrong : {std::nanf(""), -1.0F, std::numeric_limits<float>::infinity()}) {
    norms[39'999] = wrong;  // in the third block
    const std::string reason = refusal([&] { filter.admit({.noise = 1}, norms, mask); });
    EXPECT_NE(reason.find("norm of person 39999 at step 1 is "), std::string::npos) << reason;
    std::vector<float> factors(40'000);
    EXPECT_NE(refusal([&] { filter.admit_scaled({.noise = 1}, norms, factors); }), "accepted");
  }
  EXPECT_EQ(filter.state().spent, before);
  EXPECT_EQ(filter.steps(), 1u);
  norms.pop_back();
  EXPECT_EQ(refusal([&] { filter.admit({.noise = 1}, norms, mask); }),
            "norms cover 39999 people: give those of all 40000");
  const Step sampled = {.noise = 1, .clip = 1, .rate = 0.1};
  EXPECT_NE(refusal([&] { filter.admit(sampled, norms, mask); }).find("Renyi"), std::string::npos);
  EXPECT_NE(refusal([] { Filter(3, gdp_currency(), two_kinds(4)); }), "accepted");
  EXPECT_NE(refusal([] { Filter(gdp_state({5}, {4})); }), "accepted");
}

TEST(Filter, AChargeThatStoppedCountingFitsIntoNoBudget) {
  Filter filter(gdp_state(std::vector<Units>(9), {kLargestBudget}));
  Mask mask(9);
  filter.admit({.noise = 1e-4}, std::vector<double>(9, 1.0), mask);
  EXPECT_EQ(mask, Mask(9));
}

TEST(Filter, ARestoredFilterDecidesTheSame) {
  const auto rows = random_rows(500, 12);
  const Budgets budgets = two_kinds(500);
  const Outcome whole = run(rows, budgets);
  Filter filter(500, gdp_currency(), budgets);
  Mask mask(500);
  double noise = 3;
  for (std::size_t j = 0; j < rows.size(); ++j, noise *= 0.9) {
    filter = Filter(Filter::State(filter.state()));
    filter.admit({.noise = noise, .clip = 2}, rows[j], mask);
    EXPECT_EQ(mask, whole.masks[j]);
  }
}

// In blocks of people, as a trainer asks, from budgets of one kind and of several.
TEST(Filter, WouldAdmitSaysWhatAdmitThenDecides) {
  const std::size_t people = 1000, block = 300;
  oracle::Random random(44);
  for (const CurrencyPtr& currency : {gdp_currency(), renyi_currency({2, 8})}) {
    for (const Budgets& budgets : {two_kinds(people), Budgets{.kinds = {MuBudget{0.5}}}}) {
      Filter filter(people, currency, budgets);
      const double rate = currency->takes_sampling() ? 0.5 : 1;
      for (int k = 0; k < 10; ++k) {
        const Step step = {.noise = 2, .clip = 2, .rate = rate};
        std::vector<float> norms(people);
        for (float& x : norms) x = static_cast<float>(0.25 * std::floor(random.uniform(0, 12)));
        const Filter::State before = filter.state();
        Mask expected(people), mask(people);
        for (std::size_t first = 0; first < people; first += block) {
          const std::size_t count = std::min(block, people - first);
          filter.would_admit(step, first, std::span(norms).subspan(first, count),
                             std::span(expected).subspan(first, count));
        }
        EXPECT_TRUE(filter.state() == before) << "nobody is charged";
        filter.admit(step, norms, mask);
        EXPECT_EQ(mask, expected);
      }
    }
  }
  const Filter filter(3, gdp_currency(), MuBudget{1});
  Mask mask(2);
  EXPECT_NE(refusal([&] {
              filter.would_admit({.noise = 1}, 2, std::vector<float>{1, 1}, mask);
            }),
            "accepted")
      << "the second of them is not there";
}

// Small numbers meet the edges; large ones those of 64 bits; some places limit nothing.
TEST(Purses, RepeatsAreAsManyAsFitOneByOne) {
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

TEST(Filter, RepeatsAreTheSameStepsOneByOne) {
  const std::size_t people = 500;
  oracle::Random random(45);
  std::vector<float> norms(people);
  for (float& x : norms) x = static_cast<float>(random_norm(random, 2));
  for (const CurrencyPtr& currency : {gdp_currency(), renyi_currency({2, 8})}) {
    Filter one_by_one(people, currency, two_kinds(people)), at_once = one_by_one;
    const Step step = {.noise = 10, .clip = 2};
    std::vector<std::uint32_t> times(people), could(people), counted(people);
    at_once.could_admit(step, norms, 30, could);
    at_once.admit_repeatedly(step, norms, 30, times);
    for (int k = 0; k < 30; ++k) {
      Mask mask(people);
      one_by_one.admit(step, norms, mask);
      for (std::size_t i = 0; i < people; ++i) counted[i] += mask[i];
    }
    EXPECT_EQ(times, counted);
    EXPECT_EQ(could, counted);
    EXPECT_TRUE(at_once.state() == one_by_one.state());
    EXPECT_LT(*std::min_element(times.begin(), times.end()), 30u) << "the budget must bite";
  }
}

TEST(Filter, ForEverybodyAtOnceTakesNoNormsAndForEachPersonNeedsThem) {
  Filter at_once(gdp_currency(), MuBudget{1}), each(1, gdp_currency(), MuBudget{1});
  Mask mask(1);
  const std::vector<float> norms = {1};
  EXPECT_EQ(refusal([&] { at_once.admit(Step{.noise = 1}, norms, mask); }),
            "filter is for everybody at once: give the step without norms");
  EXPECT_EQ(refusal([&] { each.admit(Step{.noise = 1}); }),
            "filter keeps a budget for each person: give everybody's norms");
  EXPECT_EQ(at_once.guarantee().theorem.find("Individual"), std::string::npos);
  EXPECT_EQ(each.guarantee().theorem.find("Individual"), 0u);
}

TEST(Filter, OnlyUnderGaussianDpIsALastContributionScaled) {
  Filter filter(1, renyi_currency({2}), MuBudget{1});
  const std::vector<float> norms = {1};
  std::vector<float> factors(1);
  EXPECT_EQ(refusal([&] { filter.admit_scaled({.noise = 1}, norms, factors); }),
            "filter is rdp: give gdp, under which a last contribution can be scaled");
  EXPECT_EQ(filter.state().spent[0], 0u);
}

}  // namespace
}  // namespace ration
