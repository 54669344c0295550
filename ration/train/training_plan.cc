#include "ration/train/training_plan.h"

#include <fmt/format.h>

#include <cmath>

#include "ration/base/error.h"
#include "ration/compose/account.h"
#include "ration/control/gdp_filter.h"
#include "ration/control/renyi_filter.h"
#include "ration/individual/accounts.h"

namespace ration {
namespace {

constexpr double kLeastClip = 1e-10;  // far above what float32 products lose to underflow

Privacy worst_case_after(const TrainingPlan& plan, std::uint64_t steps) {
  return at_delta(run_of(plan, steps), plan.delta);
}

// Admits the step of somebody at the clip bound for as long as the filter does.
template <class Filter>
std::uint64_t steps_admitted(Filter filter, const Step& step, std::uint64_t most) {
  std::uint64_t admitted = 0;
  while (admitted < most && filter.admit(step)) ++admitted;
  return admitted;
}

}  // namespace

std::uint64_t steps_per_epoch(Rate rate) {
  return static_cast<std::uint64_t>(std::ceil(1 / rate - 1e-9));
}

void check(const TrainingPlan& plan) {
  if (plan.epochs == 0) refuse("epochs", 0, "a whole number from 1");
  if (plan.refresh == 0) refuse("refresh", 0, "a whole number of steps from 1");
  if (plan.epochs > Accounts::kMostSteps / plan.steps_per_epoch()) {
    refuse("epochs", static_cast<double>(plan.epochs),
           fmt::format("at most {}: accounts count {} steps",
                       Accounts::kMostSteps / plan.steps_per_epoch(), Accounts::kMostSteps));
  }
  if (plan.step.clip < kLeastClip) {
    refuse("clip", plan.step.clip, fmt::format("a number from {}", kLeastClip));
  }
  if (!plan.filter) return;
  if (plan.sampled() && plan.filter->kind == FilterKind::gdp) refuse_rate_below_one(plan.step);
  if (!plan.sampled() && plan.filter->kind == FilterKind::rdp) {
    throw Error(
        "filter is rdp: give gdp where everybody takes part in every step; it is exact there, and "
        "a Renyi filter stops earlier");
  }
}

Plan run_of(const TrainingPlan& plan, std::uint64_t steps) {
  return {entry(
      {.noise = plan.step.noise, .rate = plan.step.rate, .steps = static_cast<double>(steps)})};
}

Promise promise_of(const TrainingPlan& plan, std::uint64_t steps) {
  const Privacy worst = worst_case_after(plan, steps);
  Promise promise = {
      .epsilon = worst.epsilon, .worst_case = worst.epsilon, .guarantee = worst.guarantee};
  if (!plan.filter) return promise;
  const IndividualFilter filter = individual_filter(plan.filter->kind, 1, plan.filter->budget);
  promise.budget = budget_epsilon(filter, 0, plan.delta);
  if (promise.budget->upper < worst.epsilon.upper) {
    promise.epsilon = *promise.budget;
    promise.guarantee = guarantee_of(filter);
  }
  return promise;
}

IndividualMethod method_of(const TrainingPlan& plan) {
  return plan.sampled() ? IndividualMethod::pld : IndividualMethod::gdp;
}

std::optional<std::uint64_t> first_filtered_step(const TrainingPlan& plan) {
  if (!plan.filter) return std::nullopt;
  const std::uint64_t admitted =
      plan.filter->kind == FilterKind::gdp
          ? steps_admitted(GdpFilter(plan.filter->budget), plan.step, plan.steps())
          : steps_admitted(RenyiFilter(default_orders(), plan.filter->budget), plan.step,
                           plan.steps());
  if (admitted == plan.steps()) return std::nullopt;
  return admitted;
}

}  // namespace ration
