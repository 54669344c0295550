// The paper's clinical experiment (its section 6 and the appendix of that name), made anew: private
// training with individual GDP filters at three budgets and five clip bounds, and what it did to
// groups of people. What is fixed, and what a small version changes. On all cores, for one caller
// at a time. The figures are private. docs/reproduce.md
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "paper/figure.h"
#include "ration/dataset/dataset.h"
#include "ration/model/optimiser.h"
#include "ration/train/training_plan.h"

namespace ration::paper {

// What everybody's budget is worth, and the noise at which that is `budget_epochs` epochs at the
// clip bound: the paper's noise, or what is calibrated to epsilon.
struct ClinicalTarget {
  std::string_view name;
  double epsilon;
  std::optional<double> noise = {};
};
inline constexpr std::array<ClinicalTarget, 3> kClinicalTargets = {{
    {.name = "2.75", .epsilon = 2.75, .noise = 10.614652581338738},
    {.name = "0.5", .epsilon = 0.5},
    {.name = "10", .epsilon = 10},
}};

// The paper's clip bound, which it tuned on MIMIC-III at epsilon 2.75, and by what it is
// multiplied. On other data another multiple may be best.
inline constexpr double kPaperClip = 0.7872438989061009;
inline constexpr std::array<double, 5> kClipMultiples = {0.5, 1, 1.5, 3, 5};
inline constexpr double kPaperMultiple = 1, kLargestMultiple = 5;

inline constexpr double kClinicalDelta = 1e-5;
inline constexpr AdamRule kClinicalOptimiser = {.rate = 0.009478653844790382,
                                                .weight_decay = 0.0009389723136946396};

// Public random numbers decide who is in a group and who is in a resample.
inline constexpr std::uint64_t kClinicalSeed = 1;
enum ClinicalStream : std::uint64_t {
  train_groups = 100,
  test_groups,
  train_resamples,
  test_resamples,
  auc_resamples,
  share_resamples,
  run_resamples
};

struct ClinicalSettings {
  std::optional<std::size_t> hidden = {};  // by default half of what goes in and comes out
  std::uint64_t epochs = 100, budget_epochs = 50;
  std::size_t train_group = 1000, test_group = 400;  // people in each group
  // How often runs are repeated with fresh noise: the run with the paper's noise and clip bound,
  // which the groups are from; and, at every budget, the runs with the paper's clip bound and with
  // the largest multiple.
  std::size_t repeats = 5, clip_repeats = 2;
  std::size_t resamples = 1000;                 // of people, for intervals
  std::optional<std::uint64_t> test_seed = {};  // noise from a seed: not private

  static ClinicalSettings full() { return {}; }
  static ClinicalSettings quick();

  // How many runs are alike but for their noise, and how many there are in all.
  std::size_t runs_of(const ClinicalTarget& target, double clip_multiple) const;
  std::size_t runs() const;
};

// Refuses groups of nobody, zero resamples, and a budget of no epochs or of all of them.
void check(const ClinicalSettings& settings);

// The run with this budget and kPaperClip times `clip_multiple`.
train::TrainingPlan clinical_plan(const ClinicalSettings& settings, const ClinicalTarget& target,
                                  double clip_multiple);

// About how long it takes on this machine with the paper's number of people.
std::chrono::seconds expected_time(const ClinicalSettings& settings);

// Refuses data that the groups cannot be drawn from or that nobody can be tested with, and settings
// that check() refuses.
void check(const Dataset& data, const ClinicalSettings& settings);

// clinical-groups; clinical-clipping-2.75, -0.5 and -10; clinical-histograms-1x and -5x. The data
// are those of the MIMIC-III phenotyping benchmark or the synthetic cohort (cohort.h): 25 labels in
// the benchmark's order, and test people. Refuses what check() refuses.
std::vector<Figure> clinical_figures(const Dataset& data, const ClinicalSettings& settings,
                                     const OnFraction& on_fraction = {});

}  // namespace ration::paper
