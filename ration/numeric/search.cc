#include "ration/numeric/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ration/numeric/directed.h"
#include "ration/numeric/interval.h"

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

namespace {

// Golden section in log x: a unimodal function stays unimodal when its axis is stretched.
template <class F>
double golden_section(const F& f, Bound range) {
  constexpr double kRatio = 1 / std::numbers::phi;
  constexpr double kTolerance = 1e-8;  // a double shows a minimum to the root of its precision
  double a = std::log(range.lower), b = std::log(range.upper);
  double c = b - kRatio * (b - a), d = a + kRatio * (b - a);
  double fc = f(std::exp(c)), fd = f(std::exp(d));
  while (b - a > kTolerance) {
    if (fc < fd) {
      b = d, d = c, fd = fc;
      c = b - kRatio * (b - a), fc = f(std::exp(c));
    } else {
      a = c, c = d, fc = fd;
      d = a + kRatio * (b - a), fd = f(std::exp(d));
    }
  }
  return std::exp(0.5 * (a + b));
}

// A line through two points of the curve.
struct Chord {
  double x1, x2;
  Bound y1, y2;
  Bound at(double x) const { return y1 + (exactly(x) - x1) / (exactly(x2) - x1) * (y2 - y1); }
};

// The least of what is seen of a line on [from, to]: it is monotone, so at one of the ends.
template <class Seen>
double lower_end(const Chord& line, double from, double to, const Seen& seen) {
  return std::min(seen(line.at(from), from).lower, seen(line.at(to), to).lower);
}

// A lower bound on [from, to] of a curve above both lines: the one up to where they cross, the
// other from there on. Any point would do for the crossing.
template <class Seen>
double lower_between(double from, double to, const Chord& left, const Chord& right,
                     const Seen& seen) {
  const double rise_from = midpoint(left.at(from)) - midpoint(right.at(from));
  const double rise_to = midpoint(left.at(to)) - midpoint(right.at(to));
  const double share = rise_from / (rise_from - rise_to);
  const double crossing =
      share > 0 && share < 1 ? std::clamp(from + share * (to - from), from, to) : to;
  return std::min(lower_end(left, from, crossing, seen), lower_end(right, crossing, to, seen));
}

// `seen(y, x)` is what is minimised: y itself or y / x. Both keep the order of convex functions
// and lines, and turn a line into something monotone in x.
template <class Search, class Seen>
Minimum certify(const Search& search, const std::function<Bound(double)>& f, Bound range,
                const Seen& seen) {
  const double found = golden_section(search, range);
  // The gap between chord and curve is of second order in the spacing; the noise of f enters only
  // once. So start close and move out until the outer points are certified to lie higher.
  for (double spacing = 1e-5;; spacing *= 8) {
    const double low = range.lower * (1 + spacing), high = range.upper / (1 + spacing);
    const double x =
        low < high ? std::clamp(found, low, high) : std::sqrt(range.lower * range.upper);
    const double left = std::max(range.lower, x / (1 + spacing));
    const double right = std::min(range.upper, x * (1 + spacing));
    const Bound at_left = f(left), at_x = f(x), at_right = f(right);
    const Bound value = seen(at_x, x);
    const bool rises_left = left == range.lower || seen(at_left, left).lower >= value.upper;
    const bool rises_right = right == range.upper || seen(at_right, right).lower >= value.upper;
    if (!rises_left || !rises_right) continue;  // at the latest the whole range passes

    // Convexity: between two points the curve lies above the chords through the points on either
    // side, prolonged.
    const Chord from_left = {left, x, at_left, at_x}, from_right = {x, right, at_x, at_right};
    const double outer_left = std::max(range.lower, left / (1 + spacing));
    const double outer_right = std::min(range.upper, right * (1 + spacing));
    const double lower_left =
        outer_left < left
            ? lower_between(left, x, {outer_left, left, f(outer_left), at_left}, from_right, seen)
            : lower_end(from_right, left, x, seen);
    const double lower_right =
        right < outer_right ? lower_between(x, right, from_left,
                                            {right, outer_right, at_right, f(outer_right)}, seen)
                            : lower_end(from_left, x, right, seen);
    const double upper =
        std::min({value.upper, seen(at_left, left).upper, seen(at_right, right).upper});
    return {.value = {.lower = std::min(lower_left, lower_right), .upper = upper}, .at = x};
  }
}

}  // namespace

Minimum least_value(const std::function<double(double)>& search,
                    const std::function<Bound(double)>& f, Bound range) {
  return certify(search, f, range, [](const Bound& y, double) { return y; });
}

Minimum least_slope(const std::function<double(double)>& search,
                    const std::function<Bound(double)>& f, Bound range) {
  return certify([&](double x) { return search(x) / x; }, f, range,
                 [](const Bound& y, double x) { return y / x; });
}

}  // namespace ration
