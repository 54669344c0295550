// A training run in a directory: epochs, journal, checkpoints and what is left at the end. Killed
// at any moment and resumed, no spend is lost: a step is charged, its charges are in the journal,
// and only then its noisy sum is used; what was charged after the last checkpoint stays charged,
// and is charged again when it is done again: at most 2% of the steps of the run. A run that is
// asked to stop ends with a checkpoint, and nothing is charged twice. docs/training.md
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "ration/dataset/dataset.h"
#include "ration/results/results.h"
#include "ration/train/held_grant.h"
#include "ration/train/settings.h"

namespace ration::train {

// Told after every step, for a progress line: nothing in it depends on the people who are trained
// on. The loss is that of the test people at the end of the last epoch.
struct RunProgress {
  std::uint64_t step, steps, epoch, epochs;
  std::optional<double> test_loss;
};
using OnProgress = std::function<void(const RunProgress&)>;

// How a run is watched, and told to stop.
struct Watch {
  OnProgress on_progress = {};
  // Told before the first step what its owner should know by then. The results have it too.
  std::function<void(const std::string& warning)> on_warning = {};
  // Asked before every step. After the last one a run finishes, whatever it is asked.
  std::function<bool()> should_stop = {};
};

// A run was told to stop: how far it had come, and how to go on.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Start { fresh, resumed };

// Leaves a directory that read_results() (read_results.h) reads, and says what its summary says:
// results without moments and the values of single people, which are in files of their own. The
// individual part is private. Refuses to follow people who are not there, to start afresh where a
// run is, to resume where none is or where the settings were others, and to share a directory with
// a run that is going on. Throws Stopped.
//
// With a ledger a run takes its budgets from there (held_grant.h), and gives back at the end what
// it has not charged. If that fails, its results are there all the same, without a last head of the
// ledger (Provenance), and recover() settles later.
results::Results train(const Settings& settings, const Dataset& data, Start start,
                       const Watch& watch = {}, const std::optional<LedgerAsk>& ask = {});

}  // namespace ration::train
