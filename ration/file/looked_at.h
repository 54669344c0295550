// What a path leads to, and a reason where it cannot be told: a name that is too long, links that
// go in a circle, a folder that may not be entered. Safe from any thread.
#pragma once

#include <filesystem>

namespace ration {

// Links are followed; not_found if there is nothing. Refuses what cannot be looked at.
std::filesystem::file_type type_of(const std::filesystem::path& path);

inline bool is_there(const std::filesystem::path& path) {
  return type_of(path) != std::filesystem::file_type::not_found;
}
inline bool is_folder(const std::filesystem::path& path) {
  return type_of(path) == std::filesystem::file_type::directory;
}

}  // namespace ration
