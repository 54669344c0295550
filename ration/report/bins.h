// How many people's eps lie in each of some equal bins. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/bound.h"

namespace ration {

struct Bins {
  std::vector<double> edges;  // one more than there are counts
  std::vector<std::uint64_t>
      counts;                // a value on an edge belongs to the bin below it, or the first
  std::uint64_t beyond = 0;  // above the last edge, or infinite
};

// So many of this width, from 0 on, by upper ends: what is reported as a person's eps.
struct BinRange {
  double bin;
  std::size_t bins;
};
Bins bins_of(std::span<const Bound> epsilons, const BinRange& range);

}  // namespace ration
