// What steps cost under a tight filter, looked up by the first bits of a norm. Norms of a cell,
// those in (lower edge, upper edge], all cost what its upper edge does: that of at most 0.1% more
// norm, and their own on an edge. Vector instructions; results do not depend on which.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ration/control/price_list.h"
#include "ration/control/purse.h"

namespace ration {

// Bits of a double below the first 10 after the point: 1024 cells an octave.
inline constexpr int kBelowCells = 42;
// The number of a norm's cell. A float lies where the double that equals it does.
constexpr std::int32_t cell_of(double norm) {
  constexpr std::uint64_t kUp = (std::uint64_t{1} << kBelowCells) - 1;
  return static_cast<std::int32_t>((std::bit_cast<std::uint64_t>(norm) + kUp) >> kBelowCells);
}
constexpr double upper_edge(std::int32_t cell) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(cell) << kBelowCells);
}

struct CellPrices {
  // 24 octaves. A clip bound is at least 1e-30, so that no float in a cell has lost bits.
  static constexpr std::size_t kMostCells = 24 << 10;

  std::int32_t of_clip;               // the cell of the clip bound
  std::vector<std::uint32_t> prices;  // of cells from there downward, and of no norm at all
  Units near_the_end;

  // Norms beyond either end cost what that end does.
  std::size_t place_of(double norm) const {
    if (norm == 0) return prices.size() - 1;
    const auto last = static_cast<std::int32_t>(prices.size()) - 2;
    return static_cast<std::size_t>(std::clamp(of_clip - cell_of(norm), 0, last));
  }
  // Of somebody who has this much left and whose norm has this price.
  Units cost(Units price, Units left) const {
    return price != 0 && left < near_the_end ? PriceList::kWholeStep : price;
  }
};

// mask[i] becomes 1 where person i takes part, who is then charged, and 0 where not. The purses
// have one place and no kinds. Norms are valid, and nobody has spent more than their budget.
void admit_batch(const CellPrices& cells, const float* norms, const Purses& purses,
                 std::uint8_t* mask, std::size_t count);
void admit_batch(const CellPrices& cells, const double* norms, const Purses& purses,
                 std::uint8_t* mask, std::size_t count);

}  // namespace ration
