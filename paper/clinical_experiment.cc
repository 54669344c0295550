#include "paper/clinical_experiment.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "paper/clinical_figures.h"
#include "paper/clinical_groups.h"
#include "paper/clinical_run.h"
#include "ration/base/error.h"
#include "ration/compose/calibrate.h"
#include "ration/control/gdp_currency.h"
#include "ration/train/training_plan.h"

namespace ration::paper {
namespace {

// Runs one after the other: each has noise of its own.
class Runs {
 public:
  Runs(const ClinicalSetup& setup, const OnFraction& on_fraction)
      : setup_(setup), on_fraction_(on_fraction) {}

  // All with this target's noise, by clip bound.
  std::vector<ClinicalRun> of(const ClinicalTarget& target) {
    std::vector<ClinicalRun> all;
    for (const double multiple : kClipMultiples) {
      for (std::size_t i = 0; i < setup_.settings.runs_of(target, multiple); ++i) {
        all.push_back(next(target, multiple));
      }
    }
    return all;
  }

 private:
  ClinicalRun next(const ClinicalTarget& target, double clip_multiple) {
    const auto& seed = setup_.settings.test_seed;
    const SecretStream stream =
        seed ? SecretStream::of_seed(*seed + started_) : SecretStream::of_the_system();
    ++started_;
    return clinical_run(setup_, target, clip_multiple, stream, [&] {
      ++epochs_;
      const std::uint64_t all = setup_.settings.runs() * setup_.settings.epochs;
      if (on_fraction_) on_fraction_(static_cast<double>(epochs_) / static_cast<double>(all));
    });
  }

  const ClinicalSetup& setup_;
  const OnFraction& on_fraction_;
  std::uint64_t started_ = 0, epochs_ = 0;
};

ClinicalGroups groups_of(const Dataset& data, const ClinicalSettings& settings) {
  check(settings);
  if (data.test.count() == 0) refuse("test people", "none", "data with people to test with");
  return {
      .train = paper_groups(data.train.labels, {settings.train_group, kClinicalSeed, train_groups}),
      .test = paper_groups(data.test.labels, {settings.test_group, kClinicalSeed, test_groups})};
}

}  // namespace

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
  plan.filter = {.currency = gdp_currency(),
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

void check(const Dataset& data, const ClinicalSettings& settings) { groups_of(data, settings); }

std::vector<Figure> clinical_figures(const Dataset& data, const ClinicalSettings& settings,
                                     const OnFraction& on_fraction) {
  const ClinicalGroups groups = groups_of(data, settings);
  const ClinicalSetup setup = {.data = data, .groups = groups, .settings = settings};

  Runs runs(setup, on_fraction);
  std::vector<Figure> figures, clipping, histograms;
  for (const ClinicalTarget& target : kClinicalTargets) {
    const std::vector<ClinicalRun> all = runs.of(target);
    clipping.push_back(clipping_figure(setup, target, all));
    const bool is_paper_noise = target.noise.has_value();
    if (!is_paper_noise) continue;
    figures.push_back(groups_figure(setup, runs_at(all, kPaperMultiple)));
    for (const double multiple : {kPaperMultiple, kLargestMultiple}) {
      histograms.push_back(histograms_figure(setup, runs_at(all, multiple)));
    }
  }
  for (std::vector<Figure>* part : {&clipping, &histograms}) {
    for (Figure& figure : *part) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace ration::paper
