// Noise ratios in buckets. A contribution's ratio is noise * clip / norm; one in a bucket costs at
// most what the bucket's least noise does, and at least what its most does. Values.
// docs/math/individual.md
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ration/base/values.h"

namespace ration {

inline constexpr int kDefaultBuckets = 256;
inline constexpr double kDefaultNoiseSpan = 128;  // most noise ratio told apart / least
inline constexpr std::size_t kMostBuckets = 65535;

class Buckets {
 public:
  // Bucket j holds ratios from edge j to edge j+1, the last one all beyond its edge. Edges
  // increase. The paper's grid is Buckets(fourier::linear_noises({...})).
  explicit Buckets(std::vector<Noise> edges);

  // From the least noise of a run to kDefaultNoiseSpan times it, or to the most noise there is:
  // narrow ones where little noise makes much of a difference, nearly geometric beyond. Where that
  // is not twice the least, one bucket.
  static Buckets from(Noise least, int count = kDefaultBuckets);

  std::size_t size() const { return edges_.size(); }
  std::span<const Noise> edges() const { return edges_; }

  // What a step counted in bucket j has at least and at most. Nothing bounds the noise of the last
  // bucket from above: for lower ends such a step costs nothing.
  Noise least_noise(std::size_t bucket) const { return edges_[bucket]; }
  std::optional<Noise> most_noise(std::size_t bucket) const;

  friend bool operator==(const Buckets&, const Buckets&) = default;

 private:
  std::vector<Noise> edges_;
};

}  // namespace ration
