#include "ration/individual/bucket_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "ration/base/error.h"
#include "ration/numeric/directed.h"
#include "ration/numeric/float_environment.h"

namespace ration {
namespace {

constexpr std::size_t kMostCells = std::size_t{1} << 14;
constexpr int kLeastMantissaBits = 4, kMostMantissaBits = 12;

// The largest Real that is not above `x`.
template <class Real>
Real round_down(double x) {
  if (x >= static_cast<double>(std::numeric_limits<Real>::max())) {
    return std::numeric_limits<Real>::max();
  }
  const auto near = static_cast<Real>(x);
  return static_cast<double>(near) > x ? std::nextafter(near, Real{0}) : near;
}

}  // namespace

template <std::floating_point Real>
BucketRule<Real>::BucketRule(const Step& step, const Buckets& buckets) {
  const DefaultFloatEnvironment environment;
  const auto edges = buckets.edges();
  if (step.noise < edges.front()) {
    throw Error(
        fmt::format("the step's noise is {}, less than the least noise of the accounts, {}: make "
                    "accounts whose buckets start at the least noise of all steps",
                    static_cast<double>(step.noise), static_cast<double>(edges.front())));
  }
  // From 1e-42 to 1e46: nothing overflows in double, and a float's range goes far enough down.
  const double scale = step.noise * step.clip;
  constexpr Bits kAny = std::bit_cast<Bits>(std::numeric_limits<Real>::infinity());
  thresholds_.reserve(edges.size());
  for (const Noise edge : edges) {
    const double threshold = scale / edge;
    // No clipped norm is above. The noise is at least the first edge, so all norms are in bucket 0
    // or a later one, whichever way the first threshold was rounded.
    const bool any = thresholds_.empty() || threshold >= step.clip;
    thresholds_.push_back(any ? kAny : std::bit_cast<Bits>(round_down<Real>(threshold)));
  }
  fill(mantissa_bits());
}

// The last bucket whose threshold is not below.
template <std::floating_point Real>
std::size_t BucketRule<Real>::search(Bits bits) const {
  const auto beyond = std::partition_point(thresholds_.begin() + 1, thresholds_.end(),
                                           [bits](Bits t) { return bits <= t; });
  return static_cast<std::size_t>(beyond - thresholds_.begin()) - 1;
}

// How many put every threshold into a cell of its own, or as many as we afford.
template <std::floating_point Real>
int BucketRule<Real>::mantissa_bits() const {
  const std::size_t clipped = search(kLargest);
  int bits = kLeastMantissaBits;
  for (std::size_t j = clipped + 2; j < thresholds_.size(); ++j) {
    while (bits < kMostMantissaBits &&
           thresholds_[j - 1] >> (kMantissa - bits) == thresholds_[j] >> (kMantissa - bits)) {
      ++bits;
    }
  }
  while (bits > kLeastMantissaBits && clipped + 1 < thresholds_.size() &&
         (thresholds_[clipped + 1] - thresholds_.back()) >> (kMantissa - bits) > kMostCells) {
    --bits;
  }
  return bits;
}

template <std::floating_point Real>
void BucketRule<Real>::fill(int mantissa_bits) {
  shift_ = kMantissa - mantissa_bits;
  const auto count = static_cast<std::uint32_t>(thresholds_.size());
  auto bucket = static_cast<std::uint32_t>(search(kLargest));
  // The cells of the smallest threshold and of the largest that a norm can exceed.
  const bool alike = bucket + 1 == count;
  const Bits lowest = alike ? 0 : thresholds_.back() >> shift_;
  const Bits highest = alike ? 0 : thresholds_[bucket + 1] >> shift_;
  first_ = lowest;
  last_ = highest - lowest + 2;
  cells_.assign(last_ + 1, {.split = 0, .bucket = count - 1});
  cells_[last_].bucket = bucket;
  single_ = true;
  for (Bits cell = last_ - 1; cell > 0; --cell) {
    const Bits smallest = (lowest + cell - 1) << shift_;
    const Bits largest = smallest | ((Bits{1} << shift_) - 1);
    while (bucket + 1 < count && largest <= thresholds_[bucket + 1]) ++bucket;
    cells_[cell].bucket = bucket;
    const std::uint32_t start = bucket;
    while (bucket + 1 < count && smallest <= thresholds_[bucket + 1]) ++bucket;
    if (bucket > start) cells_[cell].split = thresholds_[start + 1] + 1;
    single_ = single_ && bucket <= start + 1;
  }
}

template <std::floating_point Real>
std::size_t BucketRule<Real>::bucket_in_many(Bits bits) const {
  const Cell& cell = lookup().cell_of(bits);
  return bits < cell.split ? search(bits) : cell.bucket;
}

template class BucketRule<float>;
template class BucketRule<double>;

}  // namespace ration
