#include "ration/train/training_promise.h"

#include <optional>

#include "ration/compose/compose.h"
#include "ration/individual/worst_case.h"
#include "ration/numeric/directed.h"

namespace ration::train {
namespace {

// Up to here the error of computed noise is inside what is promised.
constexpr double kMostEpsilon = 20;

// The number of people is the denominator of every step, and which place somebody has is fixed.
constexpr const char* kNeighbours =
    "one person's data put in or taken out; the number of people is public";

std::optional<WholeBudget> budget_of(const TrainingPlan& plan) {
  if (!plan.filter) return std::nullopt;
  WholeBudget budget =
      whole_budget(Filter(1, plan.filter->currency, plan.filter->budget), accounted_delta(plan));
  budget.epsilon = as_computed(budget.epsilon);
  return budget;
}

}  // namespace

Delta accounted_delta(const TrainingPlan& plan) { return plan.delta * (1 - 0x1p-40); }

Bound as_computed(const Bound& epsilon) {
  return {.lower = epsilon.lower, .upper = add_up(epsilon.upper, kComputedEpsilon)};
}

Promise promise_of(const TrainingPlan& plan, std::uint64_t steps) {
  const Privacy worst = compose(run_of(plan, steps), accounted_delta(plan));
  Promise promise = promise_of(
      {.epsilon = as_computed(worst.epsilon), .guarantee = worst.guarantee}, budget_of(plan));
  promise.guarantee.certified &= promise.epsilon.upper <= kMostEpsilon;
  promise.guarantee.neighbours = kNeighbours;
  return promise;
}

IndividualMethod method_of(const TrainingPlan& plan) {
  return plan.sampled() ? IndividualMethod::pld : IndividualMethod::gdp;
}

IndividualPrivacy everybody_of(const Accounts& accounts, const TrainingPlan& plan,
                               const Promise& promise) {
  IndividualPrivacy everybody =
      accounts.epsilon(accounted_delta(plan), {.method = method_of(plan)});
  for (Bound& epsilon : everybody.epsilon) epsilon = as_computed(epsilon);
  cap(everybody, promise.epsilon);
  everybody.guarantee.certified &= promise.guarantee.certified;
  everybody.guarantee.neighbours = promise.guarantee.neighbours;
  return everybody;
}

}  // namespace ration::train
