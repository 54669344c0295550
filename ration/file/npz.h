// Several named arrays of float32 in one file: NPZ, as numpy.savez writes it and numpy.load reads
// it, a ZIP archive of NPY files without compression. Writing is private and atomic
// (atomic_file.h); a file is believed only after its lengths and checksums were found right.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ration {

// What is written stays where it lies: no second copy.
struct NpzEntry {
  std::string name;                // letters, digits, '.', '_' and '-', at most 100
  std::vector<std::size_t> shape;  // one or two dimensions
  std::span<const float> values;
};

// Refuses names that are there twice, values that do not fill their shape, and 4 GB or more.
void write_npz(const std::filesystem::path& file, std::span<const NpzEntry> entries);

struct NpzArray {
  std::vector<std::size_t> shape = {};
  std::vector<float> values = {};

  friend bool operator==(const NpzArray&, const NpzArray&) = default;
};

// By name. Refuses a file that is damaged, compressed, or holds anything but arrays of float32 in
// one or two dimensions.
std::map<std::string, NpzArray> read_npz(const std::filesystem::path& file);

}  // namespace ration
