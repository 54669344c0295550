// The fixed levels of an odometer: rows of totals, one per order (a single one under Gaussian DP).
// Level 0 is nothing at all. Where a level is kMostUnits it says nothing. Values.
// docs/math/filters.md
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ration/individual/spend.h"

namespace ration {

// Beyond the last level nothing is said.
inline constexpr std::uint64_t kNoLevel = std::numeric_limits<std::uint64_t>::max();

class Levels {
 public:
  using Row = std::vector<Units>;

  // Once, twice, three times ... this row. Refuses a row with a zero in it.
  static Levels multiples(Row row);
  // These, each at least the one before in every place and above it in one.
  static Levels listed(std::vector<Row> rows);

  // The first level that is not below these totals in any place, or kNoLevel.
  std::uint64_t cover(std::span<const Units> totals) const;
  // What a level holds; kMostUnits (no bound) for kNoLevel.
  Row level(std::uint64_t number) const;

  std::size_t places() const { return rows_.front().size(); }
  const std::vector<Row>& rows() const { return rows_; }
  bool repeats() const { return repeats_; }

 private:
  Levels(std::vector<Row> rows, bool repeats) : rows_(std::move(rows)), repeats_(repeats) {}

  std::vector<Row> rows_;
  bool repeats_;
};

}  // namespace ration
