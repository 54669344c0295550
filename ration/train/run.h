// A training run in a directory: epochs, journal, checkpoints and what is left at the end. Killed
// at any moment and resumed, no spend is lost: a step is charged, its charges are in the journal,
// and only then its noisy sum is used; what was charged after the last checkpoint stays charged,
// and is charged again when it is done again. docs/training.md
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "ration/dataset/dataset.h"
#include "ration/results/results.h"
#include "ration/train/settings.h"

namespace ration::train {

// Told after every step, for a progress line: nothing in it depends on the people who are trained
// on. The loss is that of the test people at the end of the last epoch.
struct RunProgress {
  std::uint64_t step, steps, epoch, epochs;
  std::optional<double> test_loss;
};
using OnProgress = std::function<void(const RunProgress&)>;

enum class Start { fresh, resumed };

// Leaves a directory that read_results() (read_results.h) reads, and says what its summary says:
// results without moments and the values of single people, which are in files of their own. The
// individual part is private. Refuses to follow people who are not there, to start afresh where a
// run is, to resume where none is or where the settings were others, and to share a directory with
// a run that is going on.
results::Results train(const Settings& settings, const Dataset& data, Start start,
                       const OnProgress& on_progress = {});

}  // namespace ration::train
