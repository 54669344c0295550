// A training run in a directory: epochs, journal, checkpoints and what is left at the end. Killed
// at any moment and resumed, no spend is lost: a step is charged, its charges are in the journal,
// and only then its noisy sum is used; what was charged after the last checkpoint stays charged,
// and is charged again when it is done again. docs/training.md
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ration/dataset/dataset.h"
#include "ration/individual/quantiles.h"
#include "ration/train/metrics.h"
#include "ration/train/settings.h"
#include "ration/train/training_plan.h"

namespace ration::train {

// Told after every step, for a progress line: nothing in it depends on the people who are trained
// on. The loss is that of the test people at the end of the last epoch.
struct RunProgress {
  std::uint64_t step, steps, epoch, epochs;
  std::optional<double> test_loss;
};
using OnProgress = std::function<void(const RunProgress&)>;

// What a run ends with. The individual part is private.
struct Outcome {
  struct Individual {
    Quantiles quantiles;
    IndividualMethod method;
    Guarantee guarantee;
    std::size_t wide;  // people whose bounds hold, but are not sharp
    std::vector<GroupQuantiles> groups;
  };

  std::string data;  // what it was trained on, in words
  std::size_t people;
  std::uint64_t steps, charged_steps;  // more were charged than done if the run was interrupted
  std::optional<Delta> delta;
  std::optional<Promise> promise;
  std::optional<Individual> individual;
  LabelKind kind;
  std::optional<Evaluation> test;
  std::vector<std::string> groups;           // their labels
  bool test_run;                             // seeded: not private
  std::filesystem::path directory, summary;  // and where a summary belongs
};

enum class Start { fresh, resumed };

// Refuses to follow people who are not there, to start afresh where a run is, to resume where none
// is or where the settings were others, and to share a directory with a run that is going on.
Outcome train(const Settings& settings, const Dataset& data, Start start,
              const OnProgress& on_progress = {});

// The settings that a run directory was made with.
std::filesystem::path kept_settings(const std::filesystem::path& directory);

}  // namespace ration::train
