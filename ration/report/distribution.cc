#include "ration/report/distribution.h"

#include <algorithm>
#include <vector>

namespace ration::report {

Bins bins_of(std::span<const Bound> epsilons, const BinRange& range) {
  Bins bins = {.edges = {}, .counts = std::vector<std::uint64_t>(range.bins)};
  for (std::size_t i = 0; i <= range.bins; ++i) {
    // Exact at the edge, and the same on both sides of a later multiple of it.
    bins.edges.push_back(range.edge * (static_cast<double>(i) / static_cast<double>(range.below)));
  }
  for (const Bound& epsilon : epsilons) {
    const auto edge = std::lower_bound(bins.edges.begin(), bins.edges.end(), epsilon.upper);
    if (edge == bins.edges.end()) {
      ++bins.beyond;
    } else {
      ++bins.counts[static_cast<std::size_t>(
          std::max(edge - bins.edges.begin() - 1, std::ptrdiff_t{0}))];
    }
  }
  return bins;
}

}  // namespace ration::report
