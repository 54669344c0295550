#include "ration/numeric/normal.h"

#include <cmath>
#include <numbers>

#include "ration/base/error.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/mills.h"
#include "ration/numeric/root.h"

namespace ration {
namespace {

// log(2 pi) / 2 = 0.91893853320467274178...
constexpr Bound kLogSqrtTwoPi = {.lower = 0.9189385332046727, .upper = 0.9189385332046728};

// log phi(x) + log m(x), for x >= -1.
Bound log_tail_by_ratio(double x) {
  return log(mills_ratio(x)) - square(exactly(x)) * 0.5 - kLogSqrtTwoPi;
}

}  // namespace

Bound log_normal_tail(double x) {
  if (!(std::abs(x) <= 1e150)) refuse("x of the normal tail", x, "a number from -1e150 to 1e150");
  // Below -1 the tail is 1 minus the small other tail.
  return x >= -1 ? log_tail_by_ratio(x) : log1p(-exp(log_tail_by_ratio(-x)));
}

Bound normal_tail(double x) {
  if (!(std::abs(x) <= 1e150)) refuse("x of the normal tail", x, "a number from -1e150 to 1e150");
  return x >= -1 ? exp(log_tail_by_ratio(x)) : 1 - exp(log_tail_by_ratio(-x));
}

Bound normal_tail_inverse(double p) {
  if (!(p >= 1e-300 && p < 1)) refuse("tail probability", p, "a number from 1e-300 to below 1");
  if (p > 0.5) return -normal_tail_inverse(1 - p);  // 1 - p is exact here, and at least 2^-53
  const Bound target = log(exactly(p));
  // Newton on log P(Z > x), whose slope is -1 / m(x); concave, so it converges from any x >= 0.
  double x = std::sqrt(-2 * std::log(2 * p));
  for (int i = 0; i < 8; ++i) {
    x += (midpoint(log_normal_tail(x)) - std::log(p)) * midpoint(mills_ratio(x));
    x = std::max(x, 0.0);
  }
  return certified_root([&](double y) { return target - log_normal_tail(y); }, x,
                        {.lower = -1, .upper = 40});
}

}  // namespace ration
