#include "ration/report/bins.h"

#include <algorithm>

namespace ration {

Bins bins_of(std::span<const Bound> epsilons, const BinRange& range) {
  Bins bins = {.edges = {}, .counts = std::vector<std::uint64_t>(range.bins)};
  const double count = static_cast<double>(range.bins);
  for (std::size_t i = 0; i <= range.bins; ++i) {
    bins.edges.push_back(range.to * static_cast<double>(i) / count);
  }
  for (const Bound& epsilon : epsilons) {
    if (!(epsilon.upper <= range.to)) {
      ++bins.beyond;
      continue;
    }
    // Division may land beside an edge: the edges decide.
    auto i = std::min(static_cast<std::size_t>(epsilon.upper / range.to * count), range.bins - 1);
    if (epsilon.upper < bins.edges[i]) --i;
    if (i + 1 < range.bins && epsilon.upper >= bins.edges[i + 1]) ++i;
    ++bins.counts[i];
  }
  return bins;
}

}  // namespace ration
