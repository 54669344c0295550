// A text that anybody may read, as careful with what stands there as a private file is, and there
// whole or not at all (whole_file.h).
#pragma once

#include <filesystem>
#include <string_view>

namespace ration {

// Refuses what a WholeFile does, and throws WriteFailure.
void write_public(const std::filesystem::path& file, std::string_view text);

}  // namespace ration
