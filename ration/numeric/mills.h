// The Mills ratio of the normal distribution and the scaled complementary error function.
// Accuracy: relative width at most 1e-13. Testing: an interval proof of the polynomial, and random
// points against Arb. Pure functions. docs/math/mills.md
#pragma once

#include "ration/base/bound.h"

namespace ration {

// m(x) = Phi(-x) / phi(x), for -1 <= x <= 1e150.
Bound mills_ratio(double x);

// erfcx(x) = exp(x^2) erfc(x) = sqrt(2/pi) m(sqrt(2) x), for -0.7 <= x <= 1e150.
Bound erfcx(double x);

}  // namespace ration
