// How a ZIP archive is laid out (PKWARE's APPNOTE 6.3.3), as far as NPZ files need it. Shared by
// their writer and their reader.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ration::npz {

// Each part starts with its signature, and a fixed number of bytes before names and the like.
inline constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
inline constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22;

inline constexpr std::string_view kEnding = ".npy";  // of each name in the archive
inline constexpr std::size_t kMostEntries = 1000, kLongestName = 100;

inline bool is_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace ration::npz
