#include "ration/individual/bucket_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

constexpr std::uint64_t kMostCells = 1 << 14;
// A line's last sum cancels as far as its bucket is narrow: with `less` up to this, by 20 u 2^40 =
// 0.0025 units. docs/math/individual.md
constexpr double kMostLess = 0x1p40;
constexpr int kLeastMantissaBits = 4, kMostMantissaBits = 12;

// Whether edge * norm <= noise * clip, that is, whether the norm's ratio is at least the edge. The
// products are exact as pairs of doubles; rounding keeps their order.
bool at_least(double edge, double norm, const Step& step) {
  const double left = edge * norm, right = step.noise * step.clip;
  if (left != right) return left < right;
  return std::fma(edge, norm, -left) <= std::fma(step.noise, step.clip, -right);
}

// The largest norm whose ratio is at least the edge.
double threshold_of(double edge, const Step& step) {
  double norm = step.noise * step.clip / edge;
  while (!at_least(edge, norm, step)) norm = next_down(norm);
  while (at_least(edge, next_up(norm), step)) norm = next_up(norm);
  return norm;
}

// The largest Real that is not above `x`, which is not above any clip bound.
template <class Real>
Real round_down(double x) {
  const auto near = static_cast<Real>(x);
  return static_cast<double>(near) > x ? std::nextafter(near, Real{0}) : near;
}

}  // namespace

void check_noise(const Step& step, const Buckets& buckets) {
  const Noise least = buckets.edges().front();
  if (step.noise >= double{least}) return;
  throw Error(
      fmt::format("the step's noise is {}, less than the least noise of the accounts, {}: make "
                  "accounts whose buckets start at the least noise of all steps",
                  double{step.noise}, double{least}));
}

template <std::floating_point Real>
BucketRule<Real>::BucketRule(const Step& step, const Buckets& buckets) : step_(step) {
  const DefaultFloatEnvironment environment;
  check_noise(step, buckets);
  const auto edges = buckets.edges();
  find_lines(edges);
  if (narrow_) edges_.assign(edges.begin(), edges.end());
  // From 1e-42 to 1e46, which double holds, and what is below the clip bound a float as well.
  constexpr Bits kAny = std::bit_cast<Bits>(std::numeric_limits<Real>::infinity());
  thresholds_.reserve(edges.size());
  for (const Noise edge : edges) {
    const double threshold = threshold_of(edge, step);
    // No clipped norm is above. The noise is at least the first edge, so all norms are in bucket 0
    // or a later one, whichever way the first threshold was rounded.
    const bool any = thresholds_.empty() || threshold >= step.clip;
    thresholds_.push_back(any ? kAny : std::bit_cast<Bits>(round_down<Real>(threshold)));
  }
  // The bucket of the clip bound and of all norms above it.
  const std::size_t clipped = search(bits_of(std::numeric_limits<Real>::max()));
  if (!narrow_ && choose_shift(clipped)) fill(clipped);
}

// With e = edge_j and f = edge_{j+1}, less = e^2 / (f^2 - e^2) and theta = less (f / (noise
// clip))^2 x^2 - less, here times 2^12.
template <std::floating_point Real>
void BucketRule<Real>::find_lines(std::span<const Noise> edges) {
  const double scale = step_.noise * step_.clip;
  lines_.reserve(edges.size());
  for (std::size_t j = 0; j + 1 < edges.size(); ++j) {
    const double e = edges[j], f = edges[j + 1];
    const double less = kWholeShare * (e * e / ((f - e) * (f + e)));
    narrow_ = narrow_ || less > kMostLess;
    lines_.push_back({.slope = less * ((f / scale) * (f / scale)), .less = less});
  }
  const double last = edges.back() / scale;
  lines_.push_back({.slope = kWholeShare * (last * last), .less = 0});
}

// f x and noise * clip as exact pairs: nothing is lost where they are near each other.
template <std::floating_point Real>
std::uint32_t BucketRule<Real>::share_in_pairs(std::size_t bucket, double norm) const {
  if (bucket + 1 == edges_.size()) return lines_[bucket].share(norm * norm);
  const double f = edges_[bucket + 1], left = f * norm, right = step_.noise * step_.clip;
  const double beyond =
      (left - right) + (std::fma(f, norm, -left) - std::fma(step_.noise, step_.clip, -right));
  return static_cast<std::uint32_t>(
      lines_[bucket].less * (beyond / right) * ((left + right) / right) + 0.5);
}

// The last bucket whose threshold is not below.
template <std::floating_point Real>
std::size_t BucketRule<Real>::search(Bits bits) const {
  const auto beyond = std::partition_point(thresholds_.begin() + 1, thresholds_.end(),
                                           [bits](Bits t) { return bits <= t; });
  return static_cast<std::size_t>(beyond - thresholds_.begin()) - 1;
}

// The largest that gives each threshold a cell of its own, if that does not take too many cells.
template <std::floating_point Real>
bool BucketRule<Real>::choose_shift(std::size_t clipped) {
  shift_ = kMantissa - kLeastMantissaBits;
  for (std::size_t j = clipped + 2; j < thresholds_.size(); ++j) {
    while (thresholds_[j - 1] >> shift_ == thresholds_[j] >> shift_) {
      if (--shift_ < kMantissa - kMostMantissaBits) return false;
    }
  }
  if (thresholds_.size() >> (std::numeric_limits<Bits>::digits - shift_) != 0) return false;
  return clipped + 1 == thresholds_.size() ||
         (thresholds_[clipped + 1] >> shift_) - (thresholds_.back() >> shift_) < kMostCells;
}

// Cells from that of the smallest threshold to the one after that of the largest; what is smaller
// or larger is in the last bucket, or in that of the clip bound. Downward, as buckets go up.
template <std::floating_point Real>
void BucketRule<Real>::fill(std::size_t clipped) {
  std::size_t next = clipped + 1;  // whose threshold is the largest that is still below
  const bool alike = next == thresholds_.size();
  const Bits lowest = alike ? 0 : thresholds_.back() >> shift_;
  const Bits cells = alike ? 1 : (thresholds_[next] >> shift_) - lowest + 2;
  low_ = lowest << shift_;
  high_ = low_ + ((cells - 1) << shift_);
  words_.resize(cells);
  for (Bits cell = cells; cell-- > 0;) {
    const Bits start = (lowest + cell) << shift_;
    Bits below = 0;
    const auto bucket = static_cast<Bits>(next - 1);
    if (next < thresholds_.size() && start <= thresholds_[next]) {
      below = thresholds_[next++] - start + 1;
    }
    words_[cell] = static_cast<Bits>(((bucket + 1 + cell) << shift_) + below - 1);
  }
}

template class BucketRule<float>;
template class BucketRule<double>;

}  // namespace ration
