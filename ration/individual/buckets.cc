#include "ration/individual/buckets.h"

#include <algorithm>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/compose/fourier_table.h"

namespace ration {
namespace {

constexpr double kMostNoise = 1e8;  // what a Noise can be
static_assert(NoiseRule::allows(kMostNoise));

}  // namespace

Buckets::Buckets(std::vector<Noise> edges) : edges_(std::move(edges)) {
  if (edges_.empty() || edges_.size() > kMostBuckets) {
    refuse("number of buckets", static_cast<double>(edges_.size()), "1 to 65535");
  }
  for (std::size_t j = 1; j < edges_.size(); ++j) {
    if (!(edges_[j - 1] < edges_[j])) {
      refuse("edge of a bucket", edges_[j], "edges that increase");
    }
  }
}

Buckets Buckets::from(Noise least, int count) {
  const DefaultFloatEnvironment environment;
  // A little below the most noise: the last edge is rounded.
  const double most = std::min(kDefaultNoiseSpan * least, kMostNoise * (1 - 1e-12));
  if (most < 2 * least || count == 1) return Buckets({least});
  return Buckets(fourier::geometric_noises({.least = least, .most = most, .count = count}));
}

std::optional<Noise> Buckets::most_noise(std::size_t bucket) const {
  if (bucket + 1 == edges_.size()) return std::nullopt;
  return edges_[bucket + 1];
}

}  // namespace ration
