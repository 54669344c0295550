// How people's eps are spread: how many lie in each of some equal bins, and what a share of the
// people have spent at most. Private. Pure functions.
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

// The least eps that at least `percent` of the people do not exceed: the k-th smallest, with
// k = ceil(percent n / 100), or 1. The k-th smallest of lower and of upper ends enclose it.
// Quantiles are interpolated between two people (quantiles.h), and of ten people only nine need lie
// below the 95 % quantile: where a page says "at most", it takes a person's value. Refuses an empty
// list and more than 100 percent.
Bound spent_by(unsigned percent, std::span<const Bound> epsilons);

}  // namespace ration::report
