#include "ration/compose/accountants.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/base/float_environment.h"
#include "ration/loss/rdp.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/search.h"

namespace ration::renyi {
namespace {

Bound log_moment(const Plan& plan, double z, Direction direction) {
  Bound sum = exactly(0);
  for (const auto& [mechanism, steps] : plan) {
    sum = sum + rdp::log_moment(mechanism, z, direction) * double{steps};
  }
  return sum;
}

// For searching one direction will do where noise is normal: `remove` is never the smaller one
// (Mironov, Talwar, Zhang 2019, theorem 5), and Laplace noise and randomised response look the same
// from both. What is reported checks both.
double log_moment_estimate(const Plan& plan, double z) {
  double remove = 0, add = 0;
  for (const auto& [mechanism, steps] : plan) {
    const double k = rdp::log_moment_estimate(mechanism, z, Direction::remove);
    const bool alike = !std::holds_alternative<DiscretePair>(mechanism);
    remove += k * steps;
    add += (alike ? k : rdp::log_moment_estimate(mechanism, z, Direction::add)) * steps;
  }
  return std::max(remove, add);
}

Bound tilts(const Plan& plan) {
  if (gaussian::covers(plan)) return {.lower = 1e-9, .upper = 1e12};
  return {.lower = rdp::kSmallestTilt, .upper = rdp::kLargestTilt};
}

// The least of f(z), or of f(z) / z, over the listed orders.
template <class F>
Minimum least_of(std::span<const Order> orders, const F& f) {
  Minimum best = {.value = exactly(std::numeric_limits<double>::infinity()), .at = 0};
  for (const double order : orders) {
    const double z = order - 1;
    const Bound value = f(z);
    if (value.upper < best.value.upper) best.at = z;
    best.value = min(best.value, value);
  }
  return best;
}

Direction costlier(const Plan& plan, double z) {
  return log_moment(plan, z, Direction::remove).upper >= log_moment(plan, z, Direction::add).upper
             ? Direction::remove
             : Direction::add;
}

Guarantee guarantee(const Plan& plan) {
  return {.theorem =
              "Renyi DP: divergences add up, also of steps that are chosen adaptively within these "
              "sums (Feldman, Zrnic 2021, thm. 3.1); conversion of Canonne, Kamath, Steinke (2020)",
          .adaptive = true,
          .certified = true,
          .neighbours = neighbours_in(plan)};
}

}  // namespace

Bound log_moment(const Plan& plan, double z) {
  return max(log_moment(plan, z, Direction::remove), log_moment(plan, z, Direction::add));
}

Privacy at_delta(const Plan& plan, Delta delta, std::span<const Order> orders) {
  const DefaultFloatEnvironment environment;
  // eps = (K(z) + c(z) - log delta) / z: the slope of a convex function seen from the origin.
  const Bound log_delta = log(exactly(delta));
  const auto numerator = [&](double z) {
    return log_moment(plan, z) + conversion(exactly(z)) - log_delta;
  };
  const auto estimate = [&](double z) {
    return log_moment_estimate(plan, z) + conversion(z) - std::log(delta);
  };
  const Minimum best = orders.empty()
                           ? least_slope(estimate, numerator, tilts(plan))
                           : least_of(orders, [&](double z) { return numerator(z) / z; });
  return {.epsilon = max(best.value, exactly(0)),
          .delta = exactly(delta),
          .direction = costlier(plan, best.at),
          .method = Method::rdp,
          .guarantee = guarantee(plan)};
}

Privacy at_epsilon(const Plan& plan, Epsilon epsilon, std::span<const Order> orders) {
  const DefaultFloatEnvironment environment;
  const auto log_delta = [&](double z) {
    return log_moment(plan, z) + conversion(exactly(z)) - exactly(z) * double{epsilon};
  };
  const auto estimate = [&](double z) {
    return log_moment_estimate(plan, z) + conversion(z) - z * epsilon;
  };
  const Minimum best =
      orders.empty() ? least_value(estimate, log_delta, tilts(plan)) : least_of(orders, log_delta);
  return {.epsilon = exactly(epsilon),
          .delta = min(exp(best.value), exactly(1)),
          .direction = costlier(plan, best.at),
          .method = Method::rdp,
          .guarantee = guarantee(plan)};
}

}  // namespace ration::renyi
