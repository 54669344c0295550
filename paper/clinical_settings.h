// The settings of the paper's clinical experiment (its section 6 and the appendix of that name):
// what is fixed, and what a small version changes. Values. docs/reproduce.md
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ration/train/optimiser.h"
#include "ration/train/training_plan.h"

namespace ration {

// What everybody's budget is worth, and the noise at which that is `budget_epochs` epochs at the
// clip bound: the paper's, or what is found for epsilon.
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
inline constexpr train::AdamRule kClinicalOptimiser = {.rate = 0.009478653844790382,
                                                       .weight_decay = 0.0009389723136946396};

// Public random numbers: who is in a group, and who is in a resample.
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
  // With fresh noise: of the run with the paper's noise and clip bound, which the groups are from,
  // and at every budget of the runs with the paper's clip bound and with the largest multiple.
  std::size_t repeats = 5, clip_repeats = 2;
  std::size_t resamples = 1000;                 // of people, for intervals
  std::optional<std::uint64_t> test_seed = {};  // noise from a seed: not private

  static ClinicalSettings full() { return {}; }
  static ClinicalSettings quick();

  // How many runs are alike but for their noise, and how many there are in all.
  std::size_t runs_of(const ClinicalTarget& target, double clip_multiple) const;
  std::size_t runs() const;
};

// Refuses no groups, no resamples, and a budget of no epochs or of all.
void check(const ClinicalSettings& settings);

// The run with this budget and kPaperClip times `clip_multiple`.
train::TrainingPlan clinical_plan(const ClinicalSettings& settings, const ClinicalTarget& target,
                                  double clip_multiple);

// About how long it takes on this machine with the paper's number of people.
std::chrono::seconds expected_time(const ClinicalSettings& settings);

}  // namespace ration
