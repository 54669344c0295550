// How people's eps are spread: how many lie in each of some equal bins. Private. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/bound.h"

namespace ration::report {

// By upper ends: what is reported as a person's eps.
struct Bins {
  std::vector<double> edges;  // one more than there are counts
  // A value on an edge belongs to the bin below it, or to the first.
  std::vector<std::uint64_t> counts;
  std::uint64_t beyond = 0;  // above the last edge, or infinite
};

// `bins` equal ones from 0 on, `below` of them up to `edge`, which is an edge exactly: anyone who
// lies on it is counted below it.
struct BinRange {
  double edge;
  std::size_t below, bins;
};
Bins bins_of(std::span<const Bound> epsilons, const BinRange& range);

}  // namespace ration::report
