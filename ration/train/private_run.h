// The loop of a private run: step, journal, checkpoint, records, and results at the end. How a run
// is begun stands in run.cc. For one caller at a time. docs/training.md
#pragma once

#include <optional>

#include "ration/dataset/dataset.h"
#include "ration/results/directory.h"
#include "ration/train/held_grant.h"
#include "ration/train/logbook.h"
#include "ration/train/run.h"
#include "ration/train/run_results.h"

namespace ration::train {

// What a run is made of, all of which outlives it.
struct RunInputs {
  const Settings& settings;
  const KeptSettings& kept;
  const Dataset& data;
  const results::RunDirectory& directory;
};

// From where the trainer is to the last step. A grant is started when the first checkpoint is
// there, and settled before the summary is. Throws Stopped.
results::Results run_privately(const RunInputs& inputs, Architecture architecture, Resumed start,
                               std::optional<HeldGrant> grant, const Watch& watch);

}  // namespace ration::train
