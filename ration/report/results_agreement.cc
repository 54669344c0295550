#include "ration/report/results_agreement.h"

#include <algorithm>
#include <cmath>

#include "ration/base/error.h"
#include "ration/train/records.h"
#include "ration/train/training_plan.h"

namespace ration::results {
namespace {

// Results may have been made on another processor, whose vector instructions round otherwise. What
// that changes is inside the Bounds, which are narrower than this; any setting changes more.
constexpr double kOtherRounding = 1e-7;

bool agree(double a, double b, double tolerance = kOtherRounding) {
  return a == b || std::abs(a - b) <= tolerance * std::max(a, b);
}
bool agree(const std::optional<Bound>& a, const std::optional<Bound>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return agree(a->lower, b->lower) && agree(a->upper, b->upper);
}

bool agree(const train::TrainingPlan& plan, const Results& results) {
  if (!results.epsilon || double{plan.delta} != *results.delta || plan.steps() != results.steps) {
    return false;
  }
  const train::Promise promise = train::promise_of(plan, results.charged_steps);
  return agree(promise.epsilon, results.epsilon) && agree(promise.worst_case, results.worst_case) &&
         agree(promise.budget, results.budget) && promise.guarantee == results.guarantee;
}

bool agree(const train::Settings::Plain& plain, const Results& results) {
  return !results.epsilon && plain.epochs * train::steps_per_epoch(plain.rate) == results.steps;
}

}  // namespace

void check_agreement(const train::Settings& settings, const Results& results,
                     const std::string& source) {
  if (settings.test_seed.has_value() != results.test_run ||
      settings.epochs() != results.moments.size() ||
      !(settings.plan ? agree(*settings.plan, results) : agree(*settings.plain, results))) {
    refuse(source, "of another run than the summary", "the files of one run");
  }
}

void check_test(const Results& results, const std::string& source) {
  const auto of_everybody = [](const std::vector<std::optional<double>>& record) {
    return record.empty() ? std::nullopt : record.front();
  };
  const ResultsMoment& last = results.moments.back();
  if (of_everybody(last.test_loss) != results.test.loss ||
      of_everybody(last.test_score) != results.test.score) {
    refuse(source, "of another test than the summary", "the files of one run");
  }
  if (results.test_people.empty()) return;  // not recorded
  const bool known =
      std::all_of(results.groups.begin(), results.groups.end(),
                  [&](const std::string& label) { return results.test_people.contains(label); });
  if (!known || results.test_people.size() != results.groups.size()) {
    refuse(source, "of other groups than the summary", "the files of one run");
  }
}

void check_mean(const Results& results, const std::string& source) {
  const auto& means = results.moments.back().mean_epsilon;
  // Before, means went through float.
  constexpr double kAsFloat = 0x1p-22;
  const double mean = train::upper_means_of(results.individual->epsilons, {}).front();
  if (means.empty() || !agree(means.front(), mean, kAsFloat)) {
    refuse(source, "of another mean than epsilons.csv", "the files of one run");
  }
}

}  // namespace ration::results
