#include "ration/numeric/mills.h"

#include <numbers>

#include "ration/base/error.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/mills-inl.h"

namespace ration {
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
