// A small text that anybody may read, written in one move: who looks sees the old one or the new
// one. A kill in between leaves a hidden file beside it, which the next write takes over.
#pragma once

#include <filesystem>
#include <string_view>

namespace ration {

// Throws WriteFailure (private_file.h).
void write_public(const std::filesystem::path& file, std::string_view text);

}  // namespace ration
