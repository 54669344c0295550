// The standard normal distribution: its Mills ratio, tail and inverse. Pure functions.
// Accuracy: relative width at most 1e-13 for the Mills ratio and erfcx; for tails at most 1e-12
// plus 1e-15 x^2 (what x^2 itself loses to rounding). Testing: an interval proof of the polynomial,
// and random points against Arb. docs/math/mills.md
#pragma once

#include "ration/base/bound.h"

namespace ration {

// P(Z > x) and its logarithm, for |x| <= 1e150. The tail of a large x is a positive number too
// small for a double; its Bound then starts at zero. The logarithm has no such limit.
Bound normal_tail(double x);
Bound log_normal_tail(double x);

// P(a < Z + mean <= b), for a < b, either of which may be infinite. Relative width near 1e-14 for a
// narrow interval, where a difference of tails would cancel, and near 1e-12 for a wide one.
Bound normal_between(double a, double b, const Bound& mean);

// The x with P(Z > x) = p, for 1e-300 <= p < 1.
Bound normal_tail_inverse(double p);

// m(x) = Phi(-x) / phi(x), for -1 <= x <= 1e150.
Bound mills_ratio(double x);

// erfcx(x) = exp(x^2) erfc(x) = sqrt(2/pi) m(sqrt(2) x), for -0.7 <= x <= 1e150.
Bound erfcx(double x);

}  // namespace ration
