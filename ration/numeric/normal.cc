#include "ration/numeric/normal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ration/base/error.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/mills-inl.h"
#include "ration/numeric/search.h"

namespace ration {
namespace {

// log(2 pi) / 2 = 0.91893853320467274178...
constexpr Bound kLogSqrtTwoPi = {.lower = 0.9189385332046727, .upper = 0.9189385332046728};

// log phi(x) + log m(x), for x >= -1.
Bound log_tail_by_ratio(double x) {
  return log(mills_ratio(x)) - square(exactly(x)) * 0.5 - kLogSqrtTwoPi;
}

// Nodes and weights of Gauss and Legendre with five points of [-1, 1]: the middle, and the positive
// half of the others.
struct GaussPoint {
  double node, weight;
};
constexpr double kMiddleWeight = 0.5688888888888889;
constexpr std::array<GaussPoint, 2> kGauss = {
    {{0.5384693101056831, 0.47862867049936647}, {0.9061798459386640, 0.23692688505618908}}};
constexpr double kNarrow = 0.02;

// The density is analytic, so n+1 points err by at most 64/15 M rho^(-2n) / (1 - rho^-2) times the
// half width r, M its largest modulus on the ellipse with foci a, b and axes r (rho +- 1/rho) / 2
// (Trefethen 2013, theorem 19.3). With m the middle, r (m+1) <= 0.02 and rho = 200 the modulus is
// at most e^4.1 times the density at m, and the integral at least 2r e^-0.03 times it: relative
// error below 64/30 e^4.2 200^-8 = 6e-17. Nodes and weights as doubles add 1e-15 at most.
Bound narrow_interval(double a, double b, const Bound& mean) {
  const Bound half = (exactly(b) - a) * 0.5, middle = (exactly(a) + b) * 0.5 - mean;
  const auto density = [](const Bound& x) { return exp(square(x) * -0.5 - kLogSqrtTwoPi); };
  Bound sum = density(middle) * kMiddleWeight;
  for (const auto& [node, weight] : kGauss) {
    sum = sum + (density(middle - half * node) + density(middle + half * node)) * weight;
  }
  return max(half * sum * Bound{.lower = 1 - 4e-15, .upper = 1 + 4e-15}, exactly(0));
}

Bound tail_beyond(double x, const Bound& mean) {
  if (std::isinf(x)) return exactly(x > 0 ? 0 : 1);
  return {.lower = normal_tail(sub_up(x, mean.lower)).lower,
          .upper = normal_tail(sub_down(x, mean.upper)).upper};
}

}  // namespace

Bound normal_between(double a, double b, const Bound& mean) {
  const double middle = 0.5 * (a + b) - midpoint(mean), half = 0.5 * (b - a);
  if (half * (std::abs(middle) + 1) <= kNarrow) return narrow_interval(a, b, mean);
  // Of the two differences of tails the one whose tails are small.
  const Bound difference = middle > 0 ? tail_beyond(a, mean) - tail_beyond(b, mean)
                                      : tail_beyond(-b, -mean) - tail_beyond(-a, -mean);
  return max(difference, exactly(0));
}

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

namespace {

constexpr Bound kError = {.lower = 1 - kMillsError, .upper = 1 + kMillsError};

// One lane of the vector formula.
double ratio(double x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<double, 1> one_lane;
  const auto v = hn::Set(one_lane, x);
  return hn::GetLane(HWY_NAMESPACE::mills_pair(one_lane, v, v, hn::Zero(one_lane)).first);
}

}  // namespace

Bound mills_ratio(double x) {
  if (!(x >= -1 && x <= 1e150)) refuse("x of the Mills ratio", x, "a number from -1 to 1e150");
  return exactly(ratio(x)) * kError;
}

Bound erfcx(double x) {
  if (!(x >= -0.7 && x <= 1e150)) refuse("x of erfcx", x, "a number from -0.7 to 1e150");
  // m is decreasing, so the ends of sqrt(2) x bound it.
  const Bound scaled = x * sqrt(exactly(2));
  const Bound scaled_ratio = {.lower = mills_ratio(scaled.upper).lower,
                              .upper = mills_ratio(scaled.lower).upper};
  const Bound pi = {.lower = std::numbers::pi, .upper = next_up(std::numbers::pi)};
  return scaled_ratio * sqrt(2 / pi);
}

}  // namespace ration
