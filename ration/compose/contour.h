// The contour accountant: tight (eps, delta) of any plan, certified, at any delta.
//
//     delta(eps) = 1/pi Int_0^inf Re[ exp(K(z) - eps z) / (z (z+1)) ] dt,  z = tilt + i t,
//
// by the trapezoid rule on a line near the saddle point. Every error is inside the Bound: aliasing
// (by positivity on one side, by Chernoff on the other), truncation, the quadrature of K, rounding.
// Cost does not grow with the number of steps. Pure functions. docs/math/contour.md
#pragma once

#include "ration/compose/compose.h"

namespace ration::contour {

// Whether all noise is normal.
bool covers(const Plan& plan);

// Where neither an ordinary line nor the split of rare losses gets there in a reasonable number of
// points, the Bound is valid but wide, and its upper end is at most Renyi's.
Privacy at_delta(const Plan& plan, Delta delta);
Privacy at_epsilon(const Plan& plan, Epsilon epsilon);

}  // namespace ration::contour
