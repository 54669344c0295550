// Rows of float32, one row a person. A value.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ration {

struct Table {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values = {};  // row after row

  std::span<const float> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
  std::span<float> row(std::size_t i) { return {values.data() + i * columns, columns}; }

  friend bool operator==(const Table&, const Table&) = default;
};

}  // namespace ration
