#include "ration/train/run_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "ration/base/error.h"

namespace ration::train {

std::optional<RunRecord> record_of(const TomlReader& in) {
  const auto version = in.recorded_text("version"), started = in.recorded_text("started");
  const auto people = in.recorded_whole("people"), steps = in.recorded_whole("steps");
  const auto epsilon = in.recorded_number("noise_for_epsilon");
  if (!version && !started && !people && !steps && !epsilon) return std::nullopt;
  if (!version || !started || !people || !steps) {
    throw Error("[record] lacks a part: give the section as a run wrote it, or leave it out");
  }
  return RunRecord{.version = *version,
                   .started = *started,
                   .people = *people,
                   .steps = *steps,
                   .noise_for_epsilon = epsilon,
                   .ledger_head = in.recorded_text("ledger_head")};
}

std::string text_of(const RunRecord& record) {
  std::string text = "\n[record]\n";
  if (record.ledger_head) text += fmt::format("ledger_head = \"{}\"\n", *record.ledger_head);
  if (record.noise_for_epsilon) {
    text += fmt::format("noise_for_epsilon = {}\n", *record.noise_for_epsilon);
  }
  return text + fmt::format("people = {}\nstarted = \"{}\"\nsteps = {}\nversion = \"{}\"\n",
                            record.people, record.started, record.steps, record.version);
}

std::string version_of_ration() { return RATION_VERSION; }

std::string time_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace ration::train
