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

// So many equal ones from 0 on, the first few of them up to `edge`, which is one exactly: whoever
// lies on it is counted below. By upper ends: what is reported as a person's eps.
struct BinRange {
  double edge;
  std::size_t below, bins;
};
Bins bins_of(std::span<const Bound> epsilons, const BinRange& range);

}  // namespace ration
