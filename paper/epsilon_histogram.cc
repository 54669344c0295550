#include "paper/epsilon_histogram.h"

#include <utility>

namespace ration {

BinRange bins_up_to(double most) {
  constexpr std::size_t kBins = 40;
  return {.edge = most, .below = kBins, .bins = kBins};
}

std::vector<double> edges_of(const BinRange& range) { return bins_of({}, range).edges; }

Histogram epsilon_histogram(std::string name, std::span<const Bound> epsilons,
                            const BinRange& range) {
  const Bins bins = bins_of(epsilons, range);
  return {.name = std::move(name), .heights = {bins.counts.begin(), bins.counts.end()}};
}

}  // namespace ration
