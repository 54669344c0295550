// IDX files, the format of MNIST: unsigned bytes in one to four dimensions, the first of which
// counts people; plain or gzip. The whole file is checked against its header before memory is
// taken. Pure functions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "ration/file/table.h"

namespace ration {

// Two to four dimensions: one row per person, all further dimensions one after the other, each
// byte as value / 255.
Table read_idx_rows(const std::filesystem::path& file);

// One dimension.
std::vector<std::uint8_t> read_idx_bytes(const std::filesystem::path& file);

}  // namespace ration
