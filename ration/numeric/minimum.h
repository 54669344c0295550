// The least value of a convex function, or its least slope seen from the origin, certified in both
// directions: a value taken is an upper bound, and chords through three points give a lower one.
// Pure functions.
#pragma once

#include <functional>

#include "ration/base/bound.h"

namespace ration {

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
