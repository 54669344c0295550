#include "ration/numeric/minimum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ration/numeric/interval.h"

namespace ration {
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

    // Convexity: right of x the curve lies above the chord from the left, and the reverse. On
    // either side the least of the line is at one of its ends, x or the outer point.
    const Bound ahead = at_x + (exactly(right) - x) / (exactly(x) - left) * (at_x - at_left);
    const Bound behind = at_x - (exactly(x) - left) / (exactly(right) - x) * (at_right - at_x);
    const double lower =
        std::min({value.lower, seen(ahead, right).lower, seen(behind, left).lower});
    return {.value = {.lower = lower, .upper = value.upper}, .at = x};
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
