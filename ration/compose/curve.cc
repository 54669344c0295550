#include "ration/compose/curve.h"

#include "ration/base/error.h"
#include "ration/compose/contour.h"
#include "ration/compose/gaussian.h"

namespace ration {

std::vector<Method> methods_for(const Plan& plan) {
  if (gaussian::covers(plan)) {
    return {Method::gdp, Method::contour, Method::fourier, Method::rdp};
  }
  if (contour::covers(plan)) return {Method::contour, Method::fourier, Method::rdp};
  return {Method::fourier, Method::rdp};
}

std::vector<CurvePoint> delta_curve(const Plan& plan, const std::vector<Method>& methods,
                                    const CurveRange& range) {
  if (range.points < 2) refuse("points", range.points, "2 or more");
  if (!(range.from < range.to)) refuse("start of the curve", range.from, "less than its end");
  std::vector<CurvePoint> curve;
  for (int i = 0; i < range.points; ++i) {
    const double share = static_cast<double>(i) / (range.points - 1);
    CurvePoint point{.epsilon = range.from + share * (range.to - range.from), .delta = {}};
    for (const Method method : methods) {
      point.delta.push_back(
          at_epsilon(plan, point.epsilon, {.method = method, .orders = {}}).delta);
    }
    curve.push_back(point);
  }
  return curve;
}

}  // namespace ration
