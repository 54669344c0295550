#include "ration/compose/compose.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "ration/base/error.h"
#include "ration/compose/accountants.h"

namespace ration {
namespace {

// Gaussian accounting is exact where it applies; the contour is tight for normal noise, and Fourier
// covers the rest.
Method tightest(const Plan& plan) {
  if (gaussian::covers(plan)) return Method::gdp;
  return contour::covers(plan) ? Method::contour : Method::fourier;
}

Method choose(const Plan& plan, const Accounting& how) {
  if (plan.empty()) throw Error("the plan has no steps: give at least one row");
  const Method method = how.method.value_or(how.orders.empty() ? tightest(plan) : Method::rdp);
  if (method != Method::rdp && !how.orders.empty()) {
    throw Error("orders belong to method rdp: leave them out, or choose rdp");
  }
  const bool as_usual = how.accuracy == kDefaultAccuracy && !how.grid;
  if (method != Method::fourier && !as_usual) {
    throw Error("accuracy and grid belong to method fourier: leave them out, or choose fourier");
  }
  return method;
}

// Where the contour is wide (a delta next to delta(0), rare losses at many noise levels) the grid
// may know more. Both enclose the truth, so that their intersection does. A first answer tells how
// accurate the next has to be.
template <class Ask>
Privacy second_opinion(Privacy found, Bound Privacy::*answer, const Ask& ask) {
  constexpr double kWide = 1e-3, kNegligible = 1e-9;
  for (int round = 0; round < 3; ++round) {
    const Bound here = found.*answer;
    if (!(width(here) > std::max(kNegligible, kWide * here.upper)) || std::isinf(here.upper)) break;
    const double accuracy = std::max(kNegligible, kWide * here.upper);
    if (accuracy > fourier::kMostAccuracy) break;
    const std::optional<Privacy> other = if_in_reach([&] { return ask(accuracy); });
    if (!other) break;  // not to be had in reasonable time
    const Bound there = (*other).*answer;
    if (width(there) < width(here)) found = *other;
    found.*answer = intersect(here, there);
    if (width(found.*answer) > 0.5 * width(here)) break;
  }
  return found;
}

}  // namespace

std::string_view name(Method method) {
  switch (method) {
    case Method::gdp:
      return "gdp";
    case Method::rdp:
      return "rdp";
    case Method::contour:
      return "contour";
    case Method::fourier:
      return "fourier";
  }
  throw std::logic_error("no such method");
}

Privacy compose(const Plan& plan, Delta delta, const Accounting& how) {
  if (!how.method && choose(plan, how) == Method::contour) {
    return second_opinion(
        compose(plan, delta, {.method = Method::contour}), &Privacy::epsilon, [&](double accuracy) {
          return fourier::at_delta(plan, delta, {.accuracy = accuracy, .rounds = 2});
        });
  }
  switch (choose(plan, how)) {
    case Method::gdp:
      return gaussian::at_delta(plan, delta);
    case Method::rdp:
      return renyi::at_delta(plan, delta, how.orders);
    case Method::contour:
      return single_step::covers(plan) ? single_step::at_delta(plan, delta)
                                       : contour::at_delta(plan, delta);
    case Method::fourier:
      return fourier::at_delta(plan, delta, {.accuracy = how.accuracy, .grid = how.grid});
  }
  throw std::logic_error("no such method");
}

Privacy delta_at(const Plan& plan, Epsilon epsilon, const Accounting& how) {
  switch (choose(plan, how)) {
    case Method::gdp:
      return gaussian::at_epsilon(plan, epsilon);
    case Method::rdp:
      return renyi::at_epsilon(plan, epsilon, how.orders);
    case Method::contour:
      return single_step::covers(plan) ? single_step::at_epsilon(plan, epsilon)
                                       : contour::at_epsilon(plan, epsilon);
    case Method::fourier:
      return fourier::at_epsilon(plan, epsilon, {.accuracy = how.accuracy, .grid = how.grid});
  }
  throw std::logic_error("no such method");
}

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
  if (method == Method::contour && !single_step::covers(plan)) {
    return contour::delta_curve(plan, epsilons);
  }
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
