// What any run leaves, private or not, as it goes into the files of its directory: records of
// epochs, the model, the summary. For one caller at a time. docs/training.md
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ration/dataset/dataset.h"
#include "ration/model/metrics.h"
#include "ration/model/network.h"
#include "ration/results/directory.h"
#include "ration/results/results.h"
#include "ration/results/run_records.h"
#include "ration/train/run.h"
#include "ration/train/settings.h"

namespace ration::train {

// What settings.toml says in the directory of the run.
struct KeptSettings {
  std::string text, shown_text, started;
  std::string ledger_head = {};  // when the run took its grant, if it did
};

// Nothing without test people.
std::optional<Evaluation> test_of(const Architecture& architecture,
                                  std::span<const float> parameters, const Dataset& data);

results::RunRecords::Of records_of(const Dataset& data, const std::vector<std::size_t>& follow);

// What was reached at the end of an epoch, for all to see. Infinite losses stay what they are.
results::ResultsMoment moment_of(std::uint64_t epoch, std::uint64_t steps, double epsilon,
                                 const std::optional<Evaluation>& test);

// What a summary says of any run, private or not.
results::Results results_of(const Settings& settings, const KeptSettings& kept, const Dataset& data,
                            const results::RunDirectory& directory, std::uint64_t steps,
                            const std::optional<Evaluation>& test);

// Of what is known before the first step, when nothing more is refused.
void warn(const Watch& watch, const Settings& settings, const Dataset& data);

void write_summary(const results::RunDirectory& directory, const results::Results& results);
// Says the checksum of the file.
std::string write_model(const results::RunDirectory& directory, const Architecture& architecture,
                        std::span<const float> parameters);

}  // namespace ration::train
