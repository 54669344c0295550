// delta over a range of eps under every method that can account for a plan, side by side.
#pragma once

#include <vector>

#include "ration/compose/compose.h"

namespace ration {

// The methods that certify this plan, tightest first.
std::vector<Method> methods_for(const Plan& plan);

struct CurveRange {
  Epsilon from, to;
  int points;  // at least 2
};
struct CurvePoint {
  double epsilon;
  std::vector<Bound> delta;  // one per method
};
std::vector<CurvePoint> delta_curve(const Plan& plan, const std::vector<Method>& methods,
                                    const CurveRange& range);

}  // namespace ration
