#include "ration/compose/compose.h"

#include <algorithm>
#include <cmath>

#include "ration/base/error.h"
#include "ration/compose/contour.h"
#include "ration/compose/fourier.h"
#include "ration/compose/gaussian.h"
#include "ration/compose/renyi.h"
#include "ration/compose/single_step.h"

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

}  // namespace ration
