#include "ration/train/training_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "ration/base/error.h"
#include "ration/compose/compose.h"
#include "ration/control/gdp_currency.h"
#include "ration/individual/accounts.h"
#include "ration/individual/epsilons.h"
#include "ration/numeric/directed.h"

namespace ration::train {
namespace {

constexpr double kLeastClip = 1e-10;  // far above what float32 products lose to underflow

// From here on the error of computed noise is inside what is promised (training_plan.h).
constexpr double kLeastDelta = 1e-12;

}  // namespace

std::uint64_t steps_per_epoch(Rate rate) {
  return static_cast<std::uint64_t>(std::ceil(1 / rate - 1e-9));
}

void check(const TrainingPlan& plan) {
  if (plan.epochs == 0) refuse("epochs", 0, "a whole number from 1");
  if (plan.refresh == 0) refuse("refresh", 0, "a whole number of steps from 1");
  if (!plan.refresh && !plan.sampled()) {
    throw Error("norms are left out at rate 1: compute them, since they come with the step there");
  }
  if (plan.epochs > Accounts::kMostSteps / plan.steps_per_epoch()) {
    refuse("epochs", static_cast<double>(plan.epochs),
           fmt::format("at most {}: accounts count {} steps",
                       Accounts::kMostSteps / plan.steps_per_epoch(), Accounts::kMostSteps));
  }
  if (plan.step.clip < kLeastClip) {
    refuse("clip", plan.step.clip, fmt::format("a number from {}", kLeastClip));
  }
  const double least = std::max(kLeastDelta, static_cast<double>(plan.steps()) * 0x1p-60);
  if (plan.delta < least) {
    refuse("delta", plan.delta, fmt::format("a probability from {} for so many steps", least));
  }
  if (!plan.filter) return;
  if (!plan.refresh) {
    throw Error(
        "filter has no norms to go by, and would stop everybody at the same step: compute norms "
        "(exact or held), or leave the filter out");
  }
  if (plan.sampled() && !plan.filter->currency->takes_sampling()) refuse_rate_below_one(plan.step);
}

Plan run_of(const TrainingPlan& plan, std::uint64_t steps) {
  return {entry(
      {.noise = plan.step.noise, .rate = plan.step.rate, .steps = static_cast<double>(steps)})};
}

std::uint64_t worst_steps_in(const FilterPlan& filter, const Step& step, std::uint32_t most) {
  const std::vector<float> norm = {std::numeric_limits<float>::max()};
  std::vector<std::uint32_t> admitted = {0};
  Filter(1, filter.currency, filter.budget).could_admit(step, norm, most, admitted);
  return admitted[0];
}

// Somebody whose norm is always at the clip bound is left out first.
std::optional<std::uint64_t> first_filtered_step(const TrainingPlan& plan) {
  if (!plan.filter) return std::nullopt;
  const std::uint64_t admitted =
      worst_steps_in(*plan.filter, plan.step, static_cast<std::uint32_t>(plan.steps()));
  if (admitted == plan.steps()) return std::nullopt;
  return admitted;
}

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
