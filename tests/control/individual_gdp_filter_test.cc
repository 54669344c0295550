#include "ration/control/individual_gdp_filter.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "ration/base/error.h"
#include "tests/oracle/random.h"
#include "tests/oracle/rational.h"
#include "tests/refusal.h"

namespace ration {
namespace {

using oracle::Rational;
using Mask = std::vector<std::uint8_t>;

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
TEST(IndividualGdpFilter, AdaptiveSequencesAgreeWithExactFractions) {
  oracle::Random random(41);
  const Rational one(std::uint64_t{1});
  for (int i = 0; i < oracle::cases(); ++i) {
    const double mu = random.log_uniform(1e-3, 10);
    const Rational budget = (Rational(mu) * Rational(mu)).scaled(50);
    IndividualGdpFilter filter(1, MuBudget{mu});
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
    const Rational upper(filter.spent(0).upper);
    EXPECT_TRUE(exact.scaled(-50) <= upper * upper);
  }
}

struct Outcome {
  std::vector<Mask> masks;
  std::vector<Units> spent;
};
template <class Real>
Outcome run(const std::vector<std::vector<Real>>& norms, const Budgets& budgets) {
  IndividualGdpFilter filter(norms[0].size(), budgets);
  Outcome result;
  double noise = 3;
  for (const auto& row : norms) {
    result.masks.emplace_back(row.size());
    filter.admit({.noise = noise, .clip = 2}, std::span<const Real>(row), result.masks.back());
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

TEST(IndividualGdpFilter, ThreadsAndInstructionSetsChangeNothing) {
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

TEST(IndividualGdpFilter, TheOrderOfPeopleAndThePrecisionOfNormsChangeNothing) {
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

TEST(IndividualGdpFilter, ABillionSmallestChargesAreCountedExactly) {
  const std::size_t people = 16'384;  // 2^14, one block
  const int steps = 61'036;           // 10^9 / 2^14, and a little
  const Units budget = steps - 1;     // in units, so that the last step finds an empty purse
  IndividualGdpFilter filter({.spent = std::vector<Units>(people), .budgets = {budget}});
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

TEST(IndividualGdpFilter, WhoIsLeftOutPaysNothingAndIsAdmittedAgain) {
  IndividualGdpFilter filter(3, MuBudget{1});
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

TEST(IndividualGdpFilter, ABudgetThatIsUsedUpExactlyAdmitsTheLastStep) {
  IndividualGdpFilter filter(21, MuBudget{2});  // vectors and what is left over
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
  IndividualGdpFilter filter(people, two_kinds(people));
  const SpendRule rule({.noise = noise, .clip = 2});
  for (int step = 0; step < 30; ++step) {
    std::vector<Real> norms(people), factors(people);
    for (Real& x : norms) x = static_cast<Real>(random_norm(random, 2));
    const IndividualGdpFilter::State before = filter.state();
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
TEST(IndividualGdpFilter, AScaledLastContributionUsesTheBudgetUp) {
  expect_budgets_used_up<double>(1.5);
  expect_budgets_used_up<float>(0.9);
  expect_budgets_used_up<double>(0.01);
}

TEST(IndividualGdpFilter, RefusesWhatIsNotANormAndNobodyIsCharged) {
  IndividualGdpFilter filter(40'000, MuBudget{0.13});
  std::vector<float> norms(40'000, 0.1F);
  for (std::size_t i = 0; i < norms.size(); i += 3) norms[i] = 0.05F;  // who fits a second time
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
  EXPECT_NE(refusal([] { IndividualGdpFilter(3, two_kinds(4)); }), "accepted");
  EXPECT_NE(refusal([] { IndividualGdpFilter({.spent = {5}, .budgets = {4}}); }), "accepted");
}

TEST(IndividualGdpFilter, AChargeThatStoppedCountingFitsIntoNoBudget) {
  IndividualGdpFilter filter({.spent = std::vector<Units>(9), .budgets = {kLargestBudget}});
  Mask mask(9);
  filter.admit({.noise = 1e-4}, std::vector<double>(9, 1.0), mask);
  EXPECT_EQ(mask, Mask(9));
}

TEST(IndividualGdpFilter, ARestoredFilterDecidesTheSame) {
  const auto rows = random_rows(500, 12);
  const Budgets budgets = two_kinds(500);
  const Outcome whole = run(rows, budgets);
  IndividualGdpFilter filter(500, budgets);
  Mask mask(500);
  double noise = 3;
  for (std::size_t j = 0; j < rows.size(); ++j, noise *= 0.9) {
    filter = IndividualGdpFilter(IndividualGdpFilter::State(filter.state()));
    filter.admit({.noise = noise, .clip = 2}, rows[j], mask);
    EXPECT_EQ(mask, whole.masks[j]);
  }
}

}  // namespace
}  // namespace ration
