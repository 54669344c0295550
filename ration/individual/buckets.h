// Noise ratios in buckets. A contribution's ratio is noise * clip / norm; all ratios in a bucket
// count as its least noise for upper ends and as its most for lower ends. Values.
// docs/math/individual.md
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ration/base/values.h"
#include "ration/compose/fourier_table.h"

namespace ration {

inline constexpr int kDefaultBuckets = 256;
inline constexpr double kDefaultNoiseSpan = 128;  // most noise ratio told apart / least

class Buckets {
 public:
  // Bucket j holds ratios from edge j to edge j+1, the last one all beyond its edge. Edges
  // increase.
  explicit Buckets(std::vector<Noise> edges);

  // kDefaultBuckets geometric ones from the least noise of a run to kDefaultNoiseSpan times it.
  static Buckets from(Noise least);

  std::size_t size() const { return edges_.size(); }
  std::span<const Noise> edges() const { return edges_; }

  friend bool operator==(const Buckets&, const Buckets&) = default;

 private:
  std::vector<Noise> edges_;
};

}  // namespace ration
