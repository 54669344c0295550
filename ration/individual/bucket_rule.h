// From a norm to its bucket, for one step. Norms are told apart by thresholds noise * clip / edge,
// exactly; the thresholds carry two roundings. With x the norm, clipped, a bucket j has
//   edge_j (1 - kEdgeMargin) <= noise * clip / x <= edge_{j+1} (1 + kEdgeMargin).
// Pure; may be shared between threads. docs/math/individual.md
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "ration/individual/buckets.h"
#include "ration/individual/step.h"

namespace ration {

// A float is compared with a threshold rounded down to float, which decides as the double would.
// Comparisons are of bits: numbers that are not negative are ordered as their bits are, and no
// processor flag (denormals are zero) can interfere.
template <std::floating_point Real>
class BucketRule {
 public:
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

  // Refuses less noise than the first edge.
  BucketRule(const Step& step, const Buckets& buckets);

  // The bits of a norm, those of -0 being those of 0.
  static Bits bits_of(Real norm) { return std::bit_cast<Bits>(norm) & kMagnitude; }

  // The bucket of a norm that is not zero, not negative and finite; above the clip bound it counts
  // as the clip bound. Zero gives some bucket: who counts must not count it.
  std::size_t bucket(Real norm) const {
    return single_ ? lookup().bucket(bits_of(norm)) : bucket_in_many(bits_of(norm));
  }

  // Whether no cell holds two thresholds, and then the bucket by one look-up and one comparison.
  // For loops that write: a copy of a Lookup stays in registers, whatever they write to.
  bool single() const { return single_; }
  class Lookup;
  Lookup lookup() const;
  std::size_t bucket_in_many(Bits bits) const;

 private:
  static constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;
  static constexpr Bits kLargest = std::bit_cast<Bits>(std::numeric_limits<Real>::max());
  static constexpr int kMantissa = std::numeric_limits<Real>::digits - 1;

  // All norms whose top bits agree. The first cell takes all smaller norms, the last all larger.
  struct Cell {
    Bits split;            // smaller bits belong to the next bucket; 0: none do
    std::uint32_t bucket;  // of the largest norm in the cell
  };
  std::size_t search(Bits bits) const;
  int mantissa_bits() const;
  void fill(int mantissa_bits);

  std::vector<Bits> thresholds_;  // per bucket: its largest norm
  std::vector<Cell> cells_;
  Bits first_ = 0, last_ = 0;
  int shift_ = 0;
  bool single_ = false;
};

template <std::floating_point Real>
class BucketRule<Real>::Lookup {
 public:
  explicit Lookup(const BucketRule& rule)
      : cells_(rule.cells_.data()), first_(rule.first_), last_(rule.last_), shift_(rule.shift_) {}

  std::size_t bucket(Bits bits) const {
    const Cell& cell = cell_of(bits);
    return cell.bucket + static_cast<std::size_t>(bits < cell.split);
  }

 private:
  friend class BucketRule;
  const Cell& cell_of(Bits bits) const {
    const Bits key = (bits >> shift_) + 1;
    const Bits above = (key < first_ ? first_ : key) - first_;
    return cells_[above < last_ ? above : last_];
  }

  const Cell* cells_;
  Bits first_, last_;
  int shift_;
};

template <std::floating_point Real>
auto BucketRule<Real>::lookup() const -> Lookup {
  return Lookup(*this);
}

}  // namespace ration
