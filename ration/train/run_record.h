// What a run's settings.toml says beside its settings, in a section [record]: by which program the
// run was started and when, and how much it does. Whoever reads settings for another run leaves it
// aside. docs/training.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ration/train/toml_reader.h"

namespace ration::train {

struct RunRecord {
  std::string version;  // of Ration
  std::string started;  // 2025-06-01T12:00:00Z
  std::uint64_t people, steps;
  std::optional<double> noise_for_epsilon = {};  // what the noise was found for
  std::optional<std::string> ledger_head = {};   // when the run took its grant, if it did

  friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

// Nothing if there is no such section. Refuses one that lacks something.
std::optional<RunRecord> record_of(const TomlReader& in);
// The section, as it stands below the settings.
std::string text_of(const RunRecord& record);

std::string version_of_ration();
std::string time_now();  // in UTC, by the clock of the system

}  // namespace ration::train
