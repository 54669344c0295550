// Rows of float32, one row a person. A value.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ration {

struct Table {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values = {};  // row after row

  std::span<const float> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
  std::span<float> row(std::size_t i) { return {values.data() + i * columns, columns}; }

  friend bool operator==(const Table&, const Table&) = default;
};

// All zeros. Refuses what this machine has no memory for before any is taken: `source` is what
// the refusal says to be too large.
Table table_of(std::size_t rows, std::size_t columns, const std::string& source);

// Refuses, with row and column (from 0) and without the value, what is no finite number.
void check_finite(const Table& table, const std::string& source);

}  // namespace ration
