// Rows of doubles, and weighted sums of some of them: with a row per mechanism and a person's
// counts as weights, everything about a person is such a sum. Values; reading is for any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ration {

class RowTable {
 public:
  RowTable(std::size_t rows, std::size_t width);

  std::size_t rows() const { return stride_ == 0 ? 0 : cells_.size() / stride_; }
  std::size_t width() const { return width_; }
  std::size_t stride() const { return stride_; }
  std::span<double> row(std::size_t r) { return {cells_.data() + r * stride_, width_}; }
  std::span<const double> row(std::size_t r) const { return {cells_.data() + r * stride_, width_}; }

  // sum_i weight_i row(rows_i), of the entries from `first` on, as many as out has room for: a
  // multiple of kBlock, not beyond stride(), up to which rows are followed by zeros. Rounding is at
  // most (n + 1) u sum_i weight_i |row|, n the number of rows, in whatever order the processor
  // adds. As many weights as rows.
  void sum(std::span<const std::uint32_t> rows, std::span<const double> weights, std::size_t first,
           std::span<double> out) const;
  static constexpr std::size_t kBlock = 16;  // four vectors

 private:
  std::size_t width_, stride_;
  std::vector<double> cells_;
};

}  // namespace ration
