#include "ration/report/epsilon_histogram.h"

#include <cmath>
#include <limits>
#include <utility>

namespace ration {

BinRange bins_up_to(double most) {
  constexpr std::size_t kBins = 40;
  // The next number above: 40 times the nearest one may be less than `most`.
  return {.bin = std::nextafter(most / kBins, std::numeric_limits<double>::infinity()),
          .bins = kBins};
}

std::vector<double> edges_of(const BinRange& range) { return bins_of({}, range).edges; }

Histogram epsilon_histogram(std::string name, std::span<const Bound> epsilons,
                            const BinRange& range) {
  const Bins bins = bins_of(epsilons, range);
  return {.name = std::move(name), .heights = {bins.counts.begin(), bins.counts.end()}};
}

}  // namespace ration
