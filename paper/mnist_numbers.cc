#include "paper/mnist_numbers.h"

#include <algorithm>
#include <utility>

#include "paper/gdp_vs_rdp.h"
#include "ration/compose/compose.h"
#include "ration/individual/epsilons.h"
#include "ration/individual/person_curve.h"
#include "ration/individual/worst_case.h"
#include "ration/train/training_plan.h"

namespace ration::paper {
namespace {

constexpr CurveRange kShown = {.from = kFittedOnOne.from,
                               .to = 2 * kFittedOnOne.to - kFittedOnOne.from,
                               .points = 4 * (kFittedOnOne.points - 1) + 1};

// Everybody's certified eps, with what computed noise may add; nobody's is above the worst case of
// the same method.
IndividualPrivacy certified(const Accounts& accounts, const train::TrainingPlan& plan,
                            const IndividualAccounting& how) {
  const Delta delta = train::accounted_delta(plan);
  IndividualPrivacy everybody = accounts.epsilon(delta, how);
  cap(everybody,
      worst_case(train::run_of(plan, plan.steps()), accounts.buckets(), delta, how).epsilon);
  for (Bound& epsilon : everybody.epsilon) epsilon = train::as_computed(epsilon);
  return everybody;
}

}  // namespace

std::vector<FittedPoint> curve_of_chosen(const MnistRun& run) {
  const PersonCurve curve = person_curve(
      run.of_chosen, 0, train::run_of(run.plan, run.plan.steps()), kShown, kFittedOnOne);
  std::vector<FittedPoint> points;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const CurvePoint& point = curve.points[i];  // its first method is the tight one
    points.push_back(
        {.epsilon = point.epsilon, .delta = point.delta.front(), .fitted = curve.blackwell[i]});
  }
  return points;
}

MnistEpsilons epsilons_of(const MnistRun& run, Delta delta) {
  train::TrainingPlan plan = run.plan;
  plan.delta = delta;
  IndividualPrivacy pld = certified(run.coarse, plan, {});
  IndividualPrivacy fine = certified(run.fine, plan, {});
  const Plan at_floor = {entry({.noise = run.coarse.buckets().edges().back(),
                                .rate = plan.step.rate,
                                .steps = static_cast<double>(plan.steps())})};
  return {
      .delta = delta,
      .pld = std::move(pld.epsilon),
      .renyi_short =
          certified(run.coarse, plan, {.method = IndividualMethod::rdp, .orders = short_orders()})
              .epsilon,
      .renyi = certified(run.coarse, plan, {.method = IndividualMethod::rdp}).epsilon,
      .approximate =
          run.coarse.epsilon(delta, {.method = IndividualMethod::blackwell, .range = kFittedOnAll})
              .epsilon,
      .fine = std::move(fine.epsilon),
      .rounded_up_plans = upper_ends(run.coarse, delta).epsilon,
      .wide = std::max(pld.wide, fine.wide),
      .worst_case = train::promise_of(plan, plan.steps()).worst_case,
      .floor = train::as_computed(compose(at_floor, train::accounted_delta(plan)).epsilon).upper};
}

}  // namespace ration::paper
