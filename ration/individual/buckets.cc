#include "ration/individual/buckets.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"

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

namespace {

// Edges are equally far apart in x - kSteepness exp(-x), x = log noise: for much noise a step's
// loss grows like 1/noise^2, for little noise that of a rare draw like exp(1/noise).
constexpr double kSteepness = 12;

double place(double log_noise) { return log_noise - kSteepness * std::exp(-log_noise); }
double log_noise_at(double goal, double near) {
  double x = near;  // below the root: place is concave, and Newton's steps stay there
  for (int i = 0; i < 60; ++i) {
    const double next = x + (goal - place(x)) / (1 + kSteepness * std::exp(-x));
    if (!(next > x)) break;
    x = next;
  }
  return x;
}

}  // namespace

Buckets Buckets::from(Noise least, int count) {
  const DefaultFloatEnvironment environment;
  // A little below the most noise: the last edge is rounded.
  const double most = std::min(kDefaultNoiseSpan * least, kMostNoise * (1 - 1e-12));
  if (most < 2 * least || count == 1) return Buckets({least});
  const double first = std::log(least), from = place(first), to = place(std::log(most));
  std::vector<Noise> edges = {least};
  for (int j = 1; j < count; ++j) {
    const double goal = from + (to - from) * j / (count - 1);
    const double edge = std::exp(log_noise_at(goal, std::log(edges.back())));
    if (edge > edges.back()) edges.emplace_back(std::min(edge, kMostNoise));
  }
  return Buckets(std::move(edges));
}

std::optional<Noise> Buckets::most_noise(std::size_t bucket) const {
  if (bucket + 1 == edges_.size()) return std::nullopt;
  return edges_[bucket + 1];
}

}  // namespace ration
