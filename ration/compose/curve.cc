#include "ration/compose/curve.h"

#include <span>

#include "ration/base/error.h"
#include "ration/compose/contour.h"
#include "ration/compose/fourier.h"
#include "ration/compose/gaussian.h"

namespace ration {

std::vector<Method> methods_for(const Plan& plan) {
  if (gaussian::covers(plan)) {
    return {Method::gdp, Method::contour, Method::fourier, Method::rdp};
  }
  if (contour::covers(plan)) return {Method::contour, Method::fourier, Method::rdp};
  return {Method::fourier, Method::rdp};
}

namespace {

std::vector<Bound> deltas_by(Method method, const Plan& plan, std::span<const double> epsilons) {
  if (method == Method::fourier) return fourier::delta_curve(plan, epsilons);
  std::vector<Bound> deltas;
  for (const double epsilon : epsilons) {
    deltas.push_back(delta_at(plan, epsilon, {.method = method}).delta);
  }
  return deltas;
}

}  // namespace

std::vector<CurvePoint> delta_curve(const Plan& plan, const std::vector<Method>& methods,
                                    const CurveRange& range) {
  if (range.points < 2) refuse("points", range.points, "2 or more");
  if (!(range.from < range.to)) refuse("start of the curve", range.from, "less than its end");
  std::vector<CurvePoint> curve;
  std::vector<double> epsilons;
  for (int i = 0; i < range.points; ++i) {
    const double share = static_cast<double>(i) / (range.points - 1);
    epsilons.push_back(range.from + share * (range.to - range.from));
    curve.push_back({.epsilon = epsilons.back(), .delta = {}});
  }
  for (const Method method : methods) {
    const std::vector<Bound> deltas = deltas_by(method, plan, epsilons);
    for (std::size_t i = 0; i < curve.size(); ++i) curve[i].delta.push_back(deltas[i]);
  }
  return curve;
}

}  // namespace ration
