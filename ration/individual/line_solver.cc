#include "ration/individual/line_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ration {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// log(exp(a) + exp(b)), either of them perhaps infinite; no number if one of them is none.
double log_add(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  const double most = std::max(a, b);
  return std::isinf(most) ? most : most + std::log1p(std::exp(std::min(a, b) - most));
}

}  // namespace

BestRung best_rung(const TiltLadder& ladder, std::span<const double> moments, std::size_t first,
                   double log_delta) {
  BestRung best{first, kUnbounded};
  for (std::size_t i = first; i < std::min(ladder.size(), first + moments.size()); ++i) {
    const double k = moments[i - first], c = ladder.conversion(i);
    const double rounding = 1e-14 * (k + std::abs(c) + std::abs(log_delta));
    const double epsilon = (k + c - log_delta + rounding) / ladder.tilt(i);
    if (epsilon < best.epsilon) best = {i, epsilon};
  }
  return best;
}

LineSolver::LineSolver(const LineTable& table, const Mixture& steps, const Chernoff& chernoff,
                       double log_delta, double decay)
    : tilt_(table.shape().tilt),
      period_(table.shape().period),
      chernoff_(chernoff),
      log_delta_(log_delta),
      renyi_(std::max(
          0.0, best_rung(chernoff.ladder, chernoff.window.moments, chernoff.window.first, log_delta)
                   .epsilon)),
      line_(table, steps, 0.95 * renyi_, decay) {}

Bound LineSolver::epsilon() const {
  const double root = estimate();
  Bound found = {.lower = 0, .upper = renyi_};
  if (!std::isfinite(root)) return found;
  // What the errors are worth in eps; then somewhat more.
  const auto at = line_.estimate(root);
  const double spare = 1e-8 * root + 2e-13;
  const double slope =
      std::max(std::abs(at.slope) - std::exp(root - (tilt_ + 1) * period_ - at.log_sum),
               1e-3 * std::abs(at.slope));
  const double up = 1.1 * at.error / slope;
  const double down = up + 1.1 * std::exp(log_alias(root) - at.log_sum) / slope;
  // Without the noise that was added the root lies to the left of this one.
  const auto [least, most] = line_.log_added(root);
  const double left = std::exp(least - at.log_sum) / slope,
               far_left = std::exp(most - at.log_sum) / slope;
  for (const double factor : {1.0, 2.0, 8.0}) {
    const double upper = std::max(0.0, root - left + factor * (up + spare + 0.1 * left));
    if (found.upper == renyi_ && upper < renyi_ && at_most(upper)) found.upper = upper;
    const double lower = root - far_left - factor * (down + spare + 0.1 * far_left);
    if (found.lower == 0 && lower > 0 && at_least(lower)) found.lower = lower;
  }
  if (found.upper == renyi_) found.upper = least_proved({.lower = root, .upper = renyi_});
  if (found.lower == 0) found.lower = most_proved({.lower = 0, .upper = root});
  return found;
}

// The root in plain doubles, by Newton's steps as long as they stay between where delta is known to
// be larger and smaller, and as delta is not lost in the sum.
double LineSolver::estimate() const {
  double low = 0, high = renyi_, epsilon = 0.9 * renyi_;
  for (int i = 0; i < 60; ++i) {
    const auto e = line_.estimate(epsilon);
    const double share = -std::expm1(log_known_alias(epsilon) - e.log_sum);  // that is delta
    const bool lost = !(share > 1e-9);
    const double off = lost ? -1 : e.log_sum + std::log(share) - log_delta_;
    (off > 0 ? low : high) = epsilon;
    // The alias falls with eps, too: by exp(-(tilt + 1) period + eps), about.
    const double alias_slope = std::exp(epsilon - (tilt_ + 1) * period_ - e.log_sum);
    double next = epsilon - off * share / std::min(e.slope + alias_slope, -1e-12);
    if (lost || !(next > low && next < high)) next = 0.5 * (low + high);
    const bool done = std::abs(next - epsilon) <= 1e-10 * next;
    epsilon = next;
    if (done) break;
  }
  return epsilon;
}

bool LineSolver::at_most(double epsilon) const {
  const double known = log_add(log_known_alias(epsilon) - 1e-12, line_.log_added(epsilon).low);
  return line_.at_most(epsilon, log_add(log_delta_, known) - 1e-15);
}

bool LineSolver::at_least(double epsilon) const {
  const double unknown = log_add(log_alias(epsilon), line_.log_added(epsilon).high);
  const double known = log_known_alias(epsilon) + 1e-12;
  return line_.at_least(epsilon, log_add(log_delta_, log_add(known, unknown)) + 1e-15);
}

// Where the errors hide the root: how near to it the proof still holds.
double LineSolver::least_proved(Bound range) const {
  for (int i = 0; i < 12; ++i) {
    const double middle = midpoint(range);
    (at_most(middle) ? range.upper : range.lower) = middle;
  }
  return range.upper;
}
double LineSolver::most_proved(Bound range) const {
  for (int i = 0; i < 12; ++i) {
    const double middle = midpoint(range);
    (at_least(middle) ? range.lower : range.upper) = middle;
  }
  return range.lower;
}

// On the left, at eps - n period, delta is 1 - exp(y) + E(exp(y - L) - 1)+. The log of what the
// first two come to, where they are positive.
double LineSolver::log_known_alias(double epsilon) const {
  double sum = 0;
  for (int n = 1; n <= 400; ++n) {
    const double distance = n * period_, size = std::exp(-tilt_ * distance);
    if (size < 1e-20 * sum) break;
    sum += size * std::max(0.0, -std::expm1(epsilon - distance));
    if (size < 1e-300) break;
  }
  return sum > 0 ? std::log(sum) : -kUnbounded;
}

// log of a bound of the rest: on the left E(exp(y - L) - 1)+ <= exp((1+z) y + K'(z) + c(z)), K' the
// log-moment of the other direction; on the right Chernoff's bound; at whichever rung is best.
double LineSolver::log_alias(double epsilon) const {
  const double period = period_ * (1 - 1e-14), added = line_.added();
  double left = kUnbounded, left_decay = 1, right = kUnbounded, right_decay = 1;
  const auto& [ladder, window, removing, removed] = chernoff_;
  for (std::size_t i = window.first;
       i < std::min(ladder.size(), window.first + window.moments.size()); ++i) {
    const double z = ladder.tilt(i), further = (z - tilt_) * period;
    const double k = window.moments[i - window.first] + added * (z * (z + 1) / 2) * (1 + 1e-14);
    const double size = k - z * epsilon - further + 1e-14 * (k + z * epsilon + std::abs(further));
    if (further <= 0.5 || !(size < right)) continue;
    right = size;
    right_decay = further;
  }
  for (std::size_t i = removed.first;
       i < std::min(removing.size(), removed.first + removed.moments.size()); ++i) {
    const double z = removing.tilt(i), further = (1 + z + tilt_) * period;
    const double k = removed.moments[i - removed.first] + added * (z * (z + 1) / 2) * (1 + 1e-14);
    const double c = removing.conversion(i),
                 size = k + c + (1 + z) * epsilon - further +
                        1e-14 * (k + (2 + z) * epsilon + further + std::abs(c));
    if (further <= 0.5 || !(size < left)) continue;
    left = size;
    left_decay = further;
  }
  right -= std::log1p(-std::exp(-right_decay));
  left -= std::log1p(-std::exp(-left_decay));
  return log_add(left, right) + 1e-12;
}

}  // namespace ration
