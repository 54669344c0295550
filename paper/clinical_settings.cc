#include "paper/clinical_settings.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "ration/base/error.h"
#include "ration/compose/calibrate.h"

namespace ration {

ClinicalSettings ClinicalSettings::quick() {
  return {.hidden = 24, .repeats = 2, .resamples = 500};
}

std::size_t ClinicalSettings::runs_of(const ClinicalTarget& target, double clip_multiple) const {
  if (target.noise && clip_multiple == kPaperMultiple) return 1 + repeats;
  const bool is_repeated = clip_multiple == kPaperMultiple || clip_multiple == kLargestMultiple;
  return is_repeated ? 1 + clip_repeats : 1;
}

std::size_t ClinicalSettings::runs() const {
  std::size_t all = 0;
  for (const ClinicalTarget& target : kClinicalTargets) {
    for (const double multiple : kClipMultiples) all += runs_of(target, multiple);
  }
  return all;
}

void check(const ClinicalSettings& settings) {
  if (settings.train_group == 0 || settings.test_group == 0) {
    refuse("people in a group", 0, "a whole number from 1");
  }
  if (settings.resamples == 0) refuse("resamples", 0, "a whole number from 1");
  if (settings.budget_epochs == 0 || settings.budget_epochs >= settings.epochs) {
    refuse("epochs in a budget", static_cast<double>(settings.budget_epochs),
           "a whole number from 1 and below the number of epochs");
  }
}

train::TrainingPlan clinical_plan(const ClinicalSettings& settings, const ClinicalTarget& target,
                                  double clip_multiple) {
  train::TrainingPlan plan = {
      .step = {.noise = target.noise.value_or(1), .clip = clip_multiple * kPaperClip},
      .delta = kClinicalDelta,
      .epochs = settings.epochs};
  const auto budget_steps = static_cast<double>(settings.budget_epochs);
  if (!target.noise) {
    // What computed noise adds to a promise (training_plan.h) is kept free.
    plan.step.noise = calibrate_noise({.epsilon = target.epsilon - 2 * train::kComputedEpsilon,
                                       .delta = train::accounted_delta(plan)},
                                      {.rate = 1, .steps = budget_steps});
  }
  plan.filter = {.kind = FilterKind::gdp,
                 .budget = StepsBudget{.step = plan.step, .steps = budget_steps}};
  return plan;
}

std::chrono::seconds expected_time(const ClinicalSettings& settings) {
  // Processor seconds, measured with 29,250 people of 714 features in training and 6,281 in test:
  // of an epoch, and of resampling the AUC of a run once.
  constexpr double kPerEpoch = 0.047, kPerEpochAndHidden = 0.00168, kPaperHidden = 369;
  constexpr double kPerResample = 0.0008;
  const double hidden = settings.hidden ? static_cast<double>(*settings.hidden) : kPaperHidden;
  const double per_run =
      static_cast<double>(settings.epochs) * (kPerEpoch + kPerEpochAndHidden * hidden) +
      static_cast<double>(settings.resamples) * kPerResample;
  const double work = static_cast<double>(settings.runs()) * per_run;
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(work / cores)));
}

}  // namespace ration
