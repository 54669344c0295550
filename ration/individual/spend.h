// What one step costs one person under Gaussian DP, in whole units, so that sums are exact in any
// order and no charge is lost to rounding:
//     mu^2 = (min(norm, clip) / (clip noise))^2   in units of 2^-50, rounded up.
// A charge is never below the exact value and at most one unit above its ceiling; that of a norm at
// or above the clip bound is the ceiling itself. Sampling rates are not looked at: taking no notice
// of them costs more, never less. Pure functions; safe from any thread. docs/math/filters.md
#pragma once

#include <span>

#include "ration/individual/step.h"
#include "ration/individual/units.h"

namespace ration {

// Charges below this are computed in plain doubles, others in pairs of doubles.
inline constexpr double kPlainUnits = 0x1p49;

class SpendRule {
 public:
  explicit SpendRule(const Step& step);

  // Zero for norm zero, at least one unit for any other. Refuses what is not a norm.
  Units charge(double norm) const;
  Units worst_case() const { return worst_case_; }

  // For the kernels in spend-inl.h: `charge` of a valid norm, in the default float environment. Of
  // not a number, the worst case; of a negative one, that of its size or less.
  Units charge_unchecked(double norm) const;
  double clip() const { return clip_; }
  double scale() const { return scale_; }
  double plain_cap() const { return plain_cap_; }

 private:
  Units charge_in_pairs(double norm) const;

  double clip_;
  double scale_;                   // 2^25 / (clip noise), rounded up so far that squares err upward
  double scale_high_, scale_low_;  // the same as an exact pair: relative error below 2^-100
  Units worst_case_;
  double plain_cap_;  // the worst case, or more than any plain charge
};

// Many at once: the same charges, in vector instructions, each of one reading of a norm. Norms are
// valid (norms.h), or count as charge_unchecked says; the spans have equal lengths.
void charges(const SpendRule& rule, std::span<const float> norms, std::span<Units> out);
void charges(const SpendRule& rule, std::span<const double> norms, std::span<Units> out);

}  // namespace ration
