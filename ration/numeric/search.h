// Roots of increasing functions and least values of convex ones: first found, then proved. The
// search may be as careless as it likes; the enclosure rests only on certified values: their signs
// on both sides of a root, chords around a minimum. Pure functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "ration/base/bound.h"

namespace ration {

// An enclosure of the root of an increasing function. `f` returns a Bound of its value, `guess` is
// near the root, `range` contains the root. The enclosure is as narrow as the widths of f allow.
Bound certified_root(const std::function<Bound(double)>& f, double guess, Bound range);

// A double near the root of an increasing function in `range`, to about `relative` accuracy.
// Where the sign does not change, the nearer end. Bisection speeded up by inverse interpolation.
double find_root(const std::function<double(double)>& f, Bound range, double relative = 1e-15);

// The logarithm that searches for a delta see, of one that may be zero too.
inline double search_log(double x) { return std::log(std::max(x, 1e-320)); }

// The least value of a convex function, or its least slope seen from the origin, certified in both
// directions: a value taken is an upper bound, and chords through three points give a lower one.
struct Minimum {
  Bound value;
  double at;  // where the upper end is taken
};

// `f` is convex on `range` (range.lower > 0) and returns a Bound of its value; `search` is the
// same function in plain doubles, used only to find the place.
Minimum least_value(const std::function<double(double)>& search,
                    const std::function<Bound(double)>& f, Bound range);

// The same for f(x) / x, which is the slope of the steepest line through the origin below f.
Minimum least_slope(const std::function<double(double)>& search,
                    const std::function<Bound(double)>& f, Bound range);

}  // namespace ration
