#include "ration/compose/contour.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "ration/compose/contour_line.h"
#include "ration/loss/tilted_law.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/root.h"

namespace ration::contour {
namespace {

Guarantee guarantee() {
  return {.theorem =
              "Tight composition of dominating pairs (Zhu, Dong, Wang 2022, thm. 10) of the "
              "Poisson-subsampled Gaussian, evaluated by a certified contour integral",
          .adaptive = false,
          .certified = true};
}

struct Moments {
  double k = 0, first = 0, second = 0;  // K, K', K''
};
Moments moments(const Plan& plan, Direction direction, double z) {
  Moments sum;
  for (const auto& [mechanism, steps] : plan) {
    const TiltedLaw law = tilted_law(mechanism, direction, {.tilt = z, .reach = 0, .digits = 12});
    sum.k += steps * midpoint(law.log_moment);
    sum.first += steps * law.centre;
    sum.second += steps * law.variance;
  }
  return sum;
}

// The tilt at which a condition G(z) = 0 holds, G increasing, to a few percent: Newton in log z,
// guarded by the bracket seen so far. Any tilt gives a valid bound; a good one gives a narrow one.
struct Condition {
  double value, slope;
};
double find_tilt(const std::function<Condition(double)>& condition, double guess) {
  double low = 1e-7, high = 1e7, z = std::clamp(guess, 1e-6, 1e6);
  for (int i = 0; i < 40; ++i) {
    const Condition g = condition(z);
    (g.value > 0 ? high : low) = z;
    double next = z * std::exp(std::clamp(-g.value / (g.slope * z), -2.0, 2.0));
    if (!(next > low && next < high)) next = std::sqrt(low * high);
    if (std::abs(next / z - 1) < 0.03) return next;
    z = next;
  }
  return z;
}

// Adjacent noise levels thrown together: enough to find a tilt by.
Plan thinned(const Plan& plan) {
  constexpr std::size_t kMost = 8;
  if (plan.size() <= kMost) return plan;
  Plan few;
  const std::size_t stride = (plan.size() + kMost - 1) / kMost;
  for (std::size_t i = 0; i < plan.size(); i += stride) {
    double steps = 0;
    for (std::size_t j = i; j < std::min(i + stride, plan.size()); ++j) steps += plan[j].steps;
    few.push_back(
        {plan[std::min(i + stride / 2, plan.size() - 1)].mechanism, std::min(steps, 1e15)});
  }
  return few;
}

// A little left of the saddle point: there the integrand of a tilted law with two maxima is tamer.
constexpr double kBesideSaddle = 0.85;

// minimise (K(z) + c(z) - log delta) / z: z K' - K + log(1+z) + log delta = 0.
double tilt_for_delta(const Plan& plan, Direction direction, double log_delta) {
  const double variance = moments(plan, direction, 1e-3).second;
  const auto condition = [&](double z) {
    const Moments m = moments(plan, direction, z);
    return Condition{z * m.first - m.k + std::log1p(z) + log_delta, z * m.second + 1 / (1 + z)};
  };
  return kBesideSaddle * find_tilt(condition, std::sqrt(2 * std::max(-log_delta, 0.1) / variance));
}

// minimise K(z) - eps z + c(z): K' - eps + log(z / (1+z)) = 0.
double tilt_for_epsilon(const Plan& plan, Direction direction, double epsilon) {
  const auto condition = [&](double z) {
    const Moments m = moments(plan, direction, z);
    return Condition{m.first - epsilon - std::log1p(1 / z), m.second + 1 / (z * (1 + z))};
  };
  return kBesideSaddle * find_tilt(condition, 1);
}

// The aliases at a distance of one period x are exp(-tilt x) on the left, where delta <= 1, and on
// the right at most exp(K(tilt+y) - K(tilt) - y (mean + x)), relative to the integrand. The y that
// needs the shortest period solves y K'(tilt+y) - K(tilt+y) + K(tilt) = digits.
LineOptions line_for(const Plan& plan, Direction direction, double tilt, double log_delta) {
  const Moments here = moments(plan, direction, tilt);
  const double digits =
      kDigits + std::max(0.0, std::log(tilt * (1 + tilt) * std::sqrt(here.second))) + 2;
  const auto condition = [&](double y) {
    const Moments m = moments(plan, direction, tilt + y);
    return Condition{y * m.first - m.k + here.k - digits, y * m.second};
  };
  const double y = find_tilt(condition, std::sqrt(2 * digits / here.second));
  const Moments there = moments(plan, direction, tilt + y);
  const double right = (there.k - here.k + digits) / y - here.first;
  return {.tilt = tilt,
          .further_tilt = tilt + y,
          .period = std::max((digits - log_delta) / tilt, right + 2 * std::sqrt(here.second))};
}

Bound epsilon_in(const Plan& plan, Direction direction, double delta) {
  const double log_delta = std::log(delta);
  const Plan few = thinned(plan);
  const Line line(plan, direction,
                  line_for(few, direction, tilt_for_delta(few, direction, log_delta), log_delta));
  if (line.delta(0).upper <= delta) return exactly(0);
  const Bound range = {.lower = 0, .upper = std::max(line.mean(), 0.0) + 60 * line.deviation() + 1};
  double epsilon = std::clamp(line.mean(), range.lower, range.upper);
  for (int i = 0; i < 60; ++i) {
    const Line::Estimate e = line.estimate(epsilon);
    const double next =
        std::clamp(epsilon + (log_delta - e.log_delta) / e.slope, range.lower, range.upper);
    const bool done = std::abs(next - epsilon) <= 1e-15 * next;
    epsilon = next;
    if (done) break;
  }
  return certified_root([&](double e) { return delta - line.delta(e); }, epsilon, range);
}

Bound delta_in(const Plan& plan, Direction direction, double epsilon) {
  const Plan few = thinned(plan);
  const double tilt = tilt_for_epsilon(few, direction, epsilon);
  const Moments m = moments(few, direction, tilt);
  const double log_delta = std::min(0.0, m.k - tilt * epsilon);
  return Line(plan, direction, line_for(few, direction, tilt, log_delta)).delta(epsilon);
}

Privacy both(const Bound& remove, const Bound& add, Bound Privacy::*answer, Bound Privacy::*given,
             double value) {
  Privacy result{.epsilon = {},
                 .delta = {},
                 .direction = remove.upper >= add.upper ? Direction::remove : Direction::add,
                 .method = Method::contour,
                 .guarantee = guarantee()};
  result.*answer = max(remove, add);
  result.*given = exactly(value);
  return result;
}

}  // namespace

Privacy at_delta(const Plan& plan, Delta delta) {
  if (delta == 1.0) return both(exactly(0), exactly(0), &Privacy::epsilon, &Privacy::delta, 1);
  return both(epsilon_in(plan, Direction::remove, delta), epsilon_in(plan, Direction::add, delta),
              &Privacy::epsilon, &Privacy::delta, delta);
}

Privacy at_epsilon(const Plan& plan, Epsilon epsilon) {
  return both(delta_in(plan, Direction::remove, epsilon), delta_in(plan, Direction::add, epsilon),
              &Privacy::delta, &Privacy::epsilon, epsilon);
}

}  // namespace ration::contour
