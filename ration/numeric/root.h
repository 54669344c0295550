// Roots of increasing functions: first found, then proved. The search may be as careless as it
// likes; the enclosure rests only on the signs of certified values. Pure functions.
#pragma once

#include <functional>

#include "ration/base/bound.h"

namespace ration {

// An enclosure of the root of an increasing function. `f` returns a Bound of its value, `guess` is
// near the root, `range` contains the root. The enclosure is as narrow as the widths of f allow.
Bound certified_root(const std::function<Bound(double)>& f, double guess, Bound range);

// A double near the root of an increasing function in `range`, to about `relative` accuracy.
// Where the sign does not change, the nearer end. Bisection speeded up by inverse interpolation.
double find_root(const std::function<double(double)>& f, Bound range, double relative = 1e-15);

}  // namespace ration
