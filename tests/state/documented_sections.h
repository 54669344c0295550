// Holds a state file to its row in docs/state.md, "| `KIND` | `SECTION` TYPE, ... |": every section
// of the file stands there, in the file's order.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "ration/state/state_format.h"
#include "tests/file/scratch.h"

namespace ration {

inline std::string documented_row(const std::string& kind) {
  const std::string page = contents(RATION_SOURCE_DIR "/docs/state.md");
  const std::size_t at = page.find("\n| `" + kind + "` | ");
  return at == std::string::npos ? "" : page.substr(at, page.find('\n', at + 1) - at);
}

// As the page writes it.
inline std::string entry_of(const state::SectionHeader& section) {
  return "`" + std::string(section.name) + "` " + std::string(state::name_of(section.type));
}

// Returns how many sections the file has.
template <class EntryOf>
std::size_t expect_documented(const std::string& bytes, const std::string& row,
                              const EntryOf& entry_of) {
  state::FileHeader header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  std::size_t at = 0;
  for (std::size_t i = 0; i < header.sections; ++i) {
    state::SectionHeader section{};
    std::memcpy(&section, bytes.data() + sizeof header + i * sizeof section, sizeof section);
    const std::string entry = entry_of(section);
    at = row.find(entry, at);
    EXPECT_NE(at, std::string::npos) << entry << " in " << row;
    if (at == std::string::npos) break;
  }
  return header.sections;
}

}  // namespace ration
