// Accounts, filters and odometers on disk, in the one state format (state_file.h; the sections of
// each kind are in docs/state.md). What was loaded goes on as what was saved would have, bit for
// bit. Files are private (mode 0600) and replaced in one move. Safe from any thread.
//
// Save after a step was admitted and before its output is released: admit, save, release. A process
// that releases first and is then killed goes on from a state that has forgotten the step.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ration/base/ids.h"
#include "ration/control/filter.h"
#include "ration/control/odometer.h"
#include "ration/individual/accounts.h"

namespace ration {

// As docs/state.md calls it, such as individual-gdp-filter.
std::string kind_of(const Accounts& accounts);
std::string kind_of(const Filter& filter);
std::string kind_of(const Odometer& odometer);

// Writes arrays from where they lie: no second copy of anybody's data in memory.
void save(const std::filesystem::path& file, const Accounts& accounts);
void save(const std::filesystem::path& file, const Filter& filter);
void save(const std::filesystem::path& file, const Odometer& odometer);

// Accounts with everybody's id beside them, if people have ids: in the same file, which
// load<Accounts> reads too.
struct AccountsWithIds {
  Accounts accounts;
  Ids ids;  // empty, or one for each person
};
void save(const std::filesystem::path& file, const Accounts& accounts, const Ids& ids);

// load<Filter>(file). Refuses a file that is damaged, of another version or of another kind (if one
// is given, of any but that one), and values that no steps lead to: all of them are checked again.
template <class Saved>
Saved load(const std::filesystem::path& file, std::string_view kind = {}) = delete;
template <>
Accounts load(const std::filesystem::path& file, std::string_view kind);
template <>
AccountsWithIds load(const std::filesystem::path& file, std::string_view kind);
template <>
Filter load(const std::filesystem::path& file, std::string_view kind);
template <>
Odometer load(const std::filesystem::path& file, std::string_view kind);

// The bytes of such a file, for state that travels inside another program's checkpoint. As private
// as the file. restored() refuses what load() refuses; its bytes begin where a double may.
std::vector<std::byte> saved(const Accounts& accounts);
std::vector<std::byte> saved(const Accounts& accounts, const Ids& ids);
std::vector<std::byte> saved(const Filter& filter);
std::vector<std::byte> saved(const Odometer& odometer);
template <class Saved>
Saved restored(std::span<const std::byte> bytes, std::string_view kind = {}) = delete;
template <>
Accounts restored(std::span<const std::byte> bytes, std::string_view kind);
template <>
AccountsWithIds restored(std::span<const std::byte> bytes, std::string_view kind);
template <>
Filter restored(std::span<const std::byte> bytes, std::string_view kind);
template <>
Odometer restored(std::span<const std::byte> bytes, std::string_view kind);

}  // namespace ration
