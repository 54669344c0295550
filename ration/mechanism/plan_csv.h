// Reads a plan from a CSV with the header noise,rate,steps (in any order), one row per entry.
#pragma once

#include <filesystem>
#include <istream>
#include <string>

#include "ration/mechanism/plan.h"

namespace ration {

// What is wrong is refused with its line and column.
Plan read_plan(std::istream& in, const std::string& source);
Plan read_plan(const std::filesystem::path& file);

}  // namespace ration
