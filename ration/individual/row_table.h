// A table with one row of doubles per bucket, and sums of its rows with a person's counts as
// weights: everything about a person is such a sum. Values; reading is for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ration {

// One person's steps at one end of the rounding: how many fall to each column (a noise and a rate),
// and the sum of mu^2 of the steps without sampling.
struct Usage {
  std::vector<std::uint32_t> column = {};  // room for more than are used
  std::vector<double> count = {};
  std::size_t used = 0;
  double spend = 0;

  bool empty() const { return used == 0 && spend == 0; }
};

class RowTable {
 public:
  RowTable(std::size_t rows, std::size_t width);

  std::size_t width() const { return width_; }
  std::size_t stride() const { return stride_; }
  std::span<double> row(std::size_t r) { return {cells_.data() + r * stride_, width_}; }
  std::span<const double> row(std::size_t r) const { return {cells_.data() + r * stride_, width_}; }

  // sum_i count_i row(column_i), of the entries from `first` on, as many as out has room for: a
  // multiple of kBlock, not beyond stride(), up to which rows are followed by zeros. Rounding is at
  // most (n + 1) u sum_i count_i |row|, n the number of columns, in whatever order the processor
  // adds.
  void sum(const Usage& usage, std::size_t first, std::span<double> out) const;
  static constexpr std::size_t kBlock = 16;  // four vectors

 private:
  std::size_t width_, stride_;
  std::vector<double> cells_;
};

}  // namespace ration
