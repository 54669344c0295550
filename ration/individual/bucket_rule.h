// From a norm to its bucket, for one step. Norms are told apart by thresholds, the largest norms
// whose ratio is at least an edge, and both are exact. With x the norm, clipped, a bucket j has
//   edge_j <= noise * clip / x < edge_{j+1}.
// And where in the bucket it lies, its share: with w = (x / (noise clip))^2 and w_j = 1 / edge_j^2
//   theta = (w - w_{j+1}) / (w_j - w_{j+1})   in units of 2^-12, rounded to one of 0 ... 4096
// (the last bucket goes down to 0), at most one unit away from theta. It depends on the norm, the
// step and the edges alone. Pure; may be shared between threads. docs/math/individual.md
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "ration/individual/buckets.h"
#include "ration/individual/step.h"

namespace ration {

template <std::floating_point Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

// A bucket by one look-up. A norm's place is its bits, at least `low` and at most `high`, counted
// from `low`; places whose top bits agree share a cell, where at most one threshold lies. Say that
// places from the cell's start up to the s-th excluded are in bucket j + 1, the others in j. The
// cell's word
//     (j + 1 + cell) 2^shift + s - 1
// less the place, divided by 2^shift, is the bucket. (Sums may wrap around.)
template <std::floating_point Real>
struct BucketLookup {
  const BitsOf<Real>* words;
  BitsOf<Real> low, high;
  int shift;

  std::size_t bucket(BitsOf<Real> bits) const {
    const BitsOf<Real> place = (bits < low ? low : bits < high ? bits : high) - low;
    return static_cast<BitsOf<Real>>(words[place >> shift] - place) >> shift;
  }
};

inline constexpr std::uint32_t kWholeShare = 1 << 12;  // 1, in units of shares

// A bucket's theta is a line in the square of the norm. In units; the half rounds what is cut off.
struct ShareLine {
  double slope, less;

  std::uint32_t share(double square) const {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(square * slope - less + 0.5));
  }
};

// Refuses less noise than the first edge.
void check_noise(const Step& step, const Buckets& buckets);

// A float is compared with a threshold rounded down to float, which decides as the double would.
// Comparisons are of bits: numbers that are not negative are ordered as their bits are, and no
// processor flag (denormals are zero) can interfere.
template <std::floating_point Real>
class BucketRule {
 public:
  using Bits = BitsOf<Real>;

  // Refuses as check_noise does.
  BucketRule(const Step& step, const Buckets& buckets);

  // The bits of a norm, those of -0 being those of 0.
  static Bits bits_of(Real norm) { return std::bit_cast<Bits>(norm) & kMagnitude; }
  static constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;

  // The bucket of a norm that is not zero, not negative and finite; above the clip bound it counts
  // as the clip bound. Zero gives some bucket: who counts must not count it.
  std::size_t bucket(Real norm) const {
    return fast() ? lookup().bucket(bits_of(norm)) : search(bits_of(norm));
  }

  // The share of such a norm in the bucket that it has.
  std::uint32_t share(std::size_t bucket, Real norm) const {
    const double x = clipped(norm);
    return narrow_ ? share_in_pairs(bucket, x) : lines_[bucket].share(x * x);
  }
  double clip() const { return step_.clip; }

  // Unless thresholds are too near each other there is a table of a few thousand words at most.
  bool fast() const { return !words_.empty(); }
  BucketLookup<Real> lookup() const {
    return {.words = words_.data(), .low = low_, .high = high_, .shift = shift_};
  }
  std::size_t search(Bits bits) const;
  // One for each bucket. They are what a share is if the rule is fast.
  const ShareLine* lines() const { return lines_.data(); }

 private:
  static constexpr int kMantissa = std::numeric_limits<Real>::digits - 1;

  bool choose_shift(std::size_t clipped);
  void fill(std::size_t clipped);
  void find_lines(std::span<const Noise> edges);
  // As norms are checked before they are read again: not a number counts as the clip bound.
  double clipped(Real norm) const {
    const double x = std::bit_cast<Real>(bits_of(norm));
    return x < step_.clip ? x : double{step_.clip};
  }
  std::uint32_t share_in_pairs(std::size_t bucket, double norm) const;

  Step step_;
  std::vector<Noise> edges_;  // if some bucket is too narrow for its line
  bool narrow_ = false;
  std::vector<ShareLine> lines_;
  std::vector<Bits> thresholds_;  // per bucket: its largest norm
  std::vector<Bits> words_;
  Bits low_ = 0, high_ = 0;
  int shift_ = 0;
};

}  // namespace ration
