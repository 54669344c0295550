// All that decides a training run, from a TOML file and overrides. Sections: data, groups, model,
// optimiser, privacy, filter, run; setting_list.h lists every key. What is not known is refused,
// and the privacy of the run is settled before any data are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ration/dataset/load_dataset.h"
#include "ration/model/network.h"
#include "ration/model/optimiser.h"
#include "ration/train/run_record.h"
#include "ration/train/toml_reader.h"
#include "ration/train/training_plan.h"

namespace ration::train {

// The sections [data] and [groups].
struct DataSettings {
  DataSource source;
  DataOptions options;
};
DataSettings data_settings(TomlReader& in);
// Whether it says whose each row is.
bool has_ids(const DataSource& source);

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
  std::optional<double> noise_for_epsilon;  // what the noise was found for, if it was not given

  std::optional<std::uint64_t> test_seed;  // of a test run, which is not private
  double checkpoint_seconds;               // what a kill costs: so much, or 2% of the steps
  std::filesystem::path out;               // the run directory
  // People whose accounts are written down at each epoch, by their ids or, if there are none, by
  // their numbers from 0 on: results::places_of() finds them.
  std::vector<std::string> follow;

  // Every setting in force but out, in one form, with the noise that was found and all defaults;
  // the same without who is followed, which is nobody else's business; and as JSON.
  std::string text, shown_text, json;
  // What a run that is resumed must agree with: the text without checkpoint_seconds. Before, runs
  // were written with what was given alone, in another form.
  std::string identity, identity_before;
  std::string
      given;  // all that was given, in the form of text: what shows whether it is a run's own
  // Of a settings.toml that a run wrote.
  std::optional<RunRecord> record;

  std::uint64_t epochs() const { return plan ? plan->epochs : plain->epochs; }
};

// Of samples, when runs did not write down the kind of their filter: there was no other.
inline constexpr const char* kKindBefore = "rdp";

// `of_samples` is the filter's kind in mode sgd if none is given; by default the better one
// (filter_plan.h).
Settings read_settings(const std::filesystem::path& file, std::span<const std::string> overrides,
                       const std::optional<std::string>& of_samples = {});
Settings parse_settings(std::string_view text, const std::string& source,
                        std::span<const std::string> overrides = {},
                        const std::optional<std::string>& of_samples = {});

// The model that these settings describe for these people.
Architecture architecture_of(const Settings& settings, const People& people);

}  // namespace ration::train
