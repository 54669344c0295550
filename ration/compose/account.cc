#include "ration/compose/account.h"

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

bool sharp(const Bound& x, double absolute) {
  return width(x) <= std::max(absolute, 1e-6 * x.upper) || !std::isfinite(x.upper);
}

// Where the contour is not sharp (a delta next to delta(0), rare losses at many noise levels) the
// grid may be. Both enclose the truth, so that their intersection does.
template <class Ask>
Privacy second_opinion(const Privacy& found, Bound Privacy::*answer, double accuracy,
                       const Ask& ask) {
  try {
    const Privacy other = ask(fourier::Options{.accuracy = accuracy, .rounds = 2});
    const Bound &a = found.*answer, &b = other.*answer;
    Privacy best = width(b) < width(a) ? other : found;
    best.*answer = {.lower = std::max(a.lower, b.lower), .upper = std::min(a.upper, b.upper)};
    return best;
  } catch (const Error&) {  // not to be had in reasonable time
    return found;
  }
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
  throw Error("no such method");
}

Privacy at_delta(const Plan& plan, Delta delta, const Accounting& how) {
  if (!how.method && choose(plan, how) == Method::contour) {
    const Privacy found = at_delta(plan, delta, {.method = Method::contour});
    if (sharp(found.epsilon, 1e-9)) return found;
    return second_opinion(found, &Privacy::epsilon, std::max(1e-9, 1e-3 * found.epsilon.upper),
                          [&](const auto& o) { return fourier::at_delta(plan, delta, o); });
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
  throw Error("no such method");
}

Privacy at_epsilon(const Plan& plan, Epsilon epsilon, const Accounting& how) {
  if (!how.method && choose(plan, how) == Method::contour) {
    const Privacy found = at_epsilon(plan, epsilon, {.method = Method::contour});
    if (sharp(found.delta, 1e-300)) return found;
    return second_opinion(found, &Privacy::delta, std::max(1e-6, 1e-3 * epsilon),
                          [&](const auto& o) { return fourier::at_epsilon(plan, epsilon, o); });
  }
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
  throw Error("no such method");
}

}  // namespace ration
