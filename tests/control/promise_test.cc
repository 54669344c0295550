#include "ration/control/promise.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"

#include <gtest/gtest.h>

namespace ration {
namespace {

constexpr double kDelta = 1e-5;

WorstCase worst_case_of(Bound epsilon, bool certified = true) {
  return {.epsilon = epsilon, .guarantee = {.theorem = "of the run", .certified = certified}};
}
WholeBudget budget_of(Bound epsilon) {
  return {.epsilon = epsilon, .guarantee = {.theorem = "of the filter", .adaptive = true}};
}

TEST(Promise, IsTheWorstCaseWithoutAFilter) {
  const Promise promise = promise_of(worst_case_of({.lower = 1, .upper = 2}), std::nullopt);
  EXPECT_EQ(promise.epsilon, (Bound{.lower = 1, .upper = 2}));
  EXPECT_EQ(promise.smaller(), promise.epsilon);
  EXPECT_EQ(promise.guarantee.theorem, "of the run");
  EXPECT_FALSE(promise.by_filter);
  EXPECT_FALSE(promise.budget);
}

TEST(Promise, IsTheSmallerOfWorstCaseAndBudget) {
  const WholeBudget budget = budget_of({.lower = 1.5, .upper = 1.75});
  const Promise less = promise_of(worst_case_of({.lower = 2, .upper = 3}), budget);
  EXPECT_EQ(less.epsilon, budget.epsilon);
  EXPECT_EQ(less.guarantee.theorem, "of the filter");
  EXPECT_TRUE(less.by_filter);
  const Promise more = promise_of(worst_case_of({.lower = 0.5, .upper = 1}), budget);
  EXPECT_EQ(more.epsilon, (Bound{.lower = 0.5, .upper = 1}));
  EXPECT_EQ(more.guarantee.theorem, "of the run");
  EXPECT_FALSE(more.by_filter);
  const Promise same = promise_of(worst_case_of({.lower = 1.6, .upper = 1.75}), budget);
  EXPECT_FALSE(same.by_filter) << "a budget that is not less";
  EXPECT_EQ(same.smaller(), (Bound{.lower = 1.5, .upper = 1.75})) << "it may be either";
}

TEST(Promise, DoesNotRestOnAWorstCaseThatIsNotProved) {
  const WholeBudget budget = budget_of({.lower = 4, .upper = 4});
  const Promise promise = promise_of(worst_case_of({.lower = 1, .upper = 2}, false), budget);
  EXPECT_EQ(promise.epsilon, budget.epsilon);
  EXPECT_EQ(promise.guarantee.theorem, "of the filter");
}

// Person 3 has the largest budget, and nobody has the kind that is larger still.
TEST(WholeBudget, IsTheLargestThatAnybodyHas) {
  const Budgets budgets = {
      .kinds = {MuBudget{1}, MuBudget{2}, MuBudget{9}},
      .kind_of = {0, 0, 0, 1, 0},
  };
  const Filter gdp(5, gdp_currency(), budgets);
  EXPECT_EQ(whole_budget(gdp, kDelta).epsilon, gdp.budget(3, kDelta));
  EXPECT_LT(gdp.budget(0, kDelta).upper, gdp.budget(3, kDelta).lower);
  const Filter renyi(5, renyi_currency({2, 8, 32}), budgets);
  EXPECT_EQ(whole_budget(renyi, kDelta).epsilon, renyi.budget(3, kDelta));
  EXPECT_EQ(whole_budget(renyi, kDelta).guarantee.theorem, renyi.guarantee().theorem);
}

TEST(WholeBudget, OfEverybodyAlikeIsAnybodys) {
  const Filter gdp(3, gdp_currency(), MuBudget{1});
  EXPECT_EQ(whole_budget(gdp, kDelta).epsilon, gdp.budget(2, kDelta));
  const Filter renyi(3, renyi_currency({2, 8, 32}), MuBudget{1});
  EXPECT_EQ(whole_budget(renyi, kDelta).epsilon, renyi.budget(2, kDelta));
}

}  // namespace
}  // namespace ration
