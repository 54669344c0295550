// Accounts, filters and odometers on disk, in the one state format (state_file.h; the sections of
// each kind are in docs/state.md). What was loaded goes on as what was saved would have, bit for
// bit. Files are private (mode 0600) and replaced in one move. Safe from any thread.
//
// Save after a step was admitted and before its output is released: admit, save, release. Who
// releases first and is then killed goes on from a state that has forgotten the step.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "ration/control/gdp_filter.h"
#include "ration/control/gdp_odometer.h"
#include "ration/control/individual_gdp_filter.h"
#include "ration/control/individual_renyi_filter.h"
#include "ration/control/renyi_filter.h"
#include "ration/control/renyi_odometer.h"
#include "ration/individual/accounts.h"

namespace ration {

// Writes arrays from where they lie: no second copy of anybody's data in memory.
void save(const std::filesystem::path& file, const Accounts& accounts);
void save(const std::filesystem::path& file, const GdpFilter& filter);
void save(const std::filesystem::path& file, const IndividualGdpFilter& filter);
void save(const std::filesystem::path& file, const RenyiFilter& filter);
void save(const std::filesystem::path& file, const IndividualRenyiFilter& filter);
void save(const std::filesystem::path& file, const GdpOdometer& odometer);
void save(const std::filesystem::path& file, const IndividualGdpOdometer& odometer);
void save(const std::filesystem::path& file, const RenyiOdometer& odometer);
void save(const std::filesystem::path& file, const IndividualRenyiOdometer& odometer);

// load<GdpFilter>(file). Refuses a file that is damaged, of another version or of another kind, and
// one whose values no steps lead to: all of them are checked again.
template <class Saved>
Saved load(const std::filesystem::path& file) = delete;
template <>
Accounts load(const std::filesystem::path& file);
template <>
GdpFilter load(const std::filesystem::path& file);
template <>
IndividualGdpFilter load(const std::filesystem::path& file);
template <>
RenyiFilter load(const std::filesystem::path& file);
template <>
IndividualRenyiFilter load(const std::filesystem::path& file);
template <>
GdpOdometer load(const std::filesystem::path& file);
template <>
IndividualGdpOdometer load(const std::filesystem::path& file);
template <>
RenyiOdometer load(const std::filesystem::path& file);
template <>
IndividualRenyiOdometer load(const std::filesystem::path& file);

// The bytes of such a file, for state that travels inside another program's checkpoint. As private
// as the file. restored() refuses what load() refuses; its bytes begin where a double may.
std::vector<std::byte> saved(const Accounts& accounts);
std::vector<std::byte> saved(const IndividualGdpFilter& filter);
std::vector<std::byte> saved(const IndividualRenyiFilter& filter);
template <class Saved>
Saved restored(std::span<const std::byte> bytes) = delete;
template <>
Accounts restored(std::span<const std::byte> bytes);
template <>
IndividualGdpFilter restored(std::span<const std::byte> bytes);
template <>
IndividualRenyiFilter restored(std::span<const std::byte> bytes);

}  // namespace ration
