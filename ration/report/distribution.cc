#include "ration/report/distribution.h"

#include <algorithm>
#include <vector>

#include "ration/base/error.h"

namespace ration::report {
namespace {

double smallest(std::size_t k, std::span<const Bound> epsilons, double Bound::*end) {
  std::vector<double> ends;
  ends.reserve(epsilons.size());
  for (const Bound& epsilon : epsilons) ends.push_back(epsilon.*end);
  const auto place = ends.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(ends.begin(), place, ends.end());
  return *place;
}

}  // namespace

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

Bound spent_by(unsigned percent, std::span<const Bound> epsilons) {
  if (epsilons.empty()) throw Error("there is nobody to take a share of: give at least one person");
  if (percent > 100) refuse("share", percent, "at most 100 percent");
  const std::size_t k = std::max<std::size_t>(1, (percent * epsilons.size() + 99) / 100);
  return {.lower = smallest(k, epsilons, &Bound::lower),
          .upper = smallest(k, epsilons, &Bound::upper)};
}

}  // namespace ration::report
