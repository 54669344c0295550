// From Renyi to (eps, delta), Canonne, Kamath and Steinke (2020), proposition 12: at order 1 + z
//     log delta = z D - z eps + c(z),   c(z) = z log z - (1 + z) log(1 + z),
// convex in z and written without its cancellation at large z. Pure functions. docs/math/renyi.md
#pragma once

#include <cmath>

#include "ration/base/bound.h"
#include "ration/numeric/interval.h"

namespace ration::renyi {

inline double conversion(double z) { return -z * std::log1p(1 / z) - std::log1p(z); }
inline Bound conversion(const Bound& z) { return -(z * log1p(1 / z)) - log1p(z); }

}  // namespace ration::renyi
