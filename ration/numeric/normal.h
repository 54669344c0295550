// The tail of the standard normal distribution and its inverse. Pure functions.
// Accuracy: relative width at most 1e-12 plus 1e-15 x^2 (what x^2 itself loses to rounding).
// Testing: random points against Arb. docs/math/mills.md
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

}  // namespace ration
