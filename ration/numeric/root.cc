#include "ration/numeric/root.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/numeric/directed.h"

namespace ration {

Bound certified_root(const std::function<Bound(double)>& f, double guess, Bound range) {
  constexpr double kFirstStep = 0x1p-51, kGrowth = 4;
  guess = std::clamp(guess, range.lower, range.upper);
  const double unit = std::max(std::abs(guess), std::numeric_limits<double>::min());
  double lower = range.lower, upper = range.upper;
  for (double step = kFirstStep * unit; guess - step > range.lower; step *= kGrowth) {
    if (f(guess - step).upper <= 0) {
      lower = guess - step;
      break;
    }
  }
  for (double step = kFirstStep * unit; guess + step < range.upper; step *= kGrowth) {
    if (f(guess + step).lower >= 0) {
      upper = guess + step;
      break;
    }
  }
  return {.lower = lower, .upper = upper};
}

double find_root(const std::function<double(double)>& f, Bound range, double relative) {
  // Chandrupatla (1997): inverse quadratic steps where they are safe, bisection elsewhere.
  double a = range.upper, fa = f(a);
  double b = range.lower, fb = f(b);
  if (fb >= 0) return b;
  if (fa <= 0) return a;
  double fraction = 0.5;
  for (int i = 0; i < 200; ++i) {
    const double x = a + fraction * (b - a), fx = f(x);
    const bool same_side = (fx < 0) == (fa < 0);
    const double c = same_side ? a : b, fc = same_side ? fa : fb;  // the point left behind
    if (!same_side) b = a, fb = fa;
    a = x, fa = fx;
    const bool a_is_best = std::abs(fa) < std::abs(fb);
    const double best = a_is_best ? a : b;
    const double tolerance = 0.5 * relative * std::abs(best) + std::numeric_limits<double>::min();
    const double limit = tolerance / std::abs(b - c);
    if (limit > 0.5 || fa == 0 || fb == 0) return best;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    const bool interpolate = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
    fraction = interpolate ? fa / (fb - fa) * (fc / (fb - fc)) +
                                 (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb))
                           : 0.5;
    fraction = std::clamp(fraction, limit, 1 - limit);
  }
  return a;
}

}  // namespace ration
