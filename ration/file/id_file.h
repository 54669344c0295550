// Files of people's ids. Refusals name the line, and never an id. Pure functions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ration/base/ids.h"

namespace ration {

// Plain or gzip: a column of a CSV file with a header or, without its name, one id a line, after an
// optional header `id` or `person`. `argument` is what a refusal of the file names. Refuses an id
// with a fault, and one that is there twice.
Ids read_ids(const std::filesystem::path& file, const std::optional<std::string>& column,
             const std::string& argument);

}  // namespace ration
