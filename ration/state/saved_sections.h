// Accounts and filters as sections of a state: alone in a file of their kind (saved.h), where no
// prefix stands before the sections' names, or side by side as parts of a larger state, each under
// a prefix of its own. docs/state.md
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ration/control/gdp_filter.h"
#include "ration/control/individual_gdp_filter.h"
#include "ration/control/individual_renyi_filter.h"
#include "ration/control/renyi_filter.h"
#include "ration/individual/accounts.h"
#include "ration/state/state_file.h"

namespace ration {

// What is added must stay as it is until the writer has written: long arrays are not copied.
void add_sections(StateWriter& writer, const std::string& prefix, const Accounts& accounts);
void add_sections(StateWriter& writer, const std::string& prefix, const GdpFilter& filter);
void add_sections(StateWriter& writer, const std::string& prefix,
                  const IndividualGdpFilter& filter);
void add_sections(StateWriter& writer, const std::string& prefix, const RenyiFilter& filter);
void add_sections(StateWriter& writer, const std::string& prefix,
                  const IndividualRenyiFilter& filter);

// Refuses values that no steps lead to: all of them are checked again.
template <class Saved>
Saved read_sections(StateReader& reader, const std::string& prefix) = delete;
template <>
Accounts read_sections(StateReader& reader, const std::string& prefix);
template <>
GdpFilter read_sections(StateReader& reader, const std::string& prefix);
template <>
IndividualGdpFilter read_sections(StateReader& reader, const std::string& prefix);
template <>
RenyiFilter read_sections(StateReader& reader, const std::string& prefix);
template <>
IndividualRenyiFilter read_sections(StateReader& reader, const std::string& prefix);

// A whole file: the sections of one, and nothing else.
template <class Saved>
void save_alone(const std::filesystem::path& file, std::string_view kind, const Saved& saved) {
  StateWriter writer(kind);
  add_sections(writer, "", saved);
  writer.write(file);
}
template <class Saved>
std::vector<std::byte> bytes_alone(std::string_view kind, const Saved& saved) {
  StateWriter writer(kind);
  add_sections(writer, "", saved);
  return writer.bytes();
}
// From a file or from its bytes.
template <class Saved>
Saved load_alone(const auto& from, std::string_view kind) {
  StateReader reader(from, kind);
  auto saved = read_sections<Saved>(reader, "");
  reader.finish();
  return saved;
}

}  // namespace ration
