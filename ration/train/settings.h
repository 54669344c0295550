// All that decides a training run, from a TOML file and overrides. Sections: data, groups, model,
// optimiser, privacy, filter, run; docs/training.md lists every key. What is not known is refused,
// and the privacy of the run is settled before any data are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ration/dataset/load_dataset.h"
#include "ration/train/network.h"
#include "ration/train/optimiser.h"
#include "ration/train/toml_reader.h"
#include "ration/train/training_plan.h"

namespace ration::train {

// The sections [data] and [groups].
struct DataSettings {
  DataSource source;
  DataOptions options;
};
DataSettings data_settings(TomlReader& in);

struct Settings {
  DataSettings data;
  std::vector<std::size_t> hidden;
  Activation activation;
  OptimiserRule optimiser;

  // A run without privacy has no noise, no clipping and no accounts: for comparison.
  struct Plain {
    Rate rate;
    std::uint64_t epochs;
  };
  std::optional<TrainingPlan> plan;  // or
  std::optional<Plain> plain;

  std::optional<std::uint64_t> test_seed;  // of a test run, which is not private
  double checkpoint_seconds;               // at the ends of epochs, at least so long apart
  std::filesystem::path out;               // the run directory
  std::vector<std::size_t> follow;         // people whose accounts are written down at each epoch

  // Every setting but checkpoint_seconds and out, in one form: what a run that is resumed must
  // agree with.
  std::string text;
  // The same without who is followed, which is nobody else's business.
  std::string shown_text;

  std::uint64_t epochs() const { return plan ? plan->epochs : plain->epochs; }
};

Settings read_settings(const std::filesystem::path& file, std::span<const std::string> overrides);
Settings parse_settings(std::string_view text, const std::string& source,
                        std::span<const std::string> overrides = {});

// The model that these settings describe for these people.
Architecture architecture_of(const Settings& settings, const People& people);

}  // namespace ration::train
