#include "ration/individual/line_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ration {
namespace {

// How far an enclosure may be from the root, relative, tried in this order.
constexpr double kWidths[] = {1e-8, 1e-7, 4e-7};

double above(double x, double width) { return x * (1 + width) + 2e-13; }
double below(double x, double width) { return std::max(0.0, x * (1 - width) - 2e-13); }

}  // namespace

BestRung best_rung(const TiltLadder& ladder, std::span<const double> moments, std::size_t first,
                   double log_delta) {
  BestRung best{first, std::numeric_limits<double>::infinity()};
  for (std::size_t i = first; i < std::min(ladder.size(), first + moments.size()); ++i) {
    const double k = moments[i - first], c = ladder.conversion(i);
    const double rounding = 1e-14 * (k + std::abs(c) + std::abs(log_delta));
    const double epsilon = (k + c - log_delta + rounding) / ladder.tilt(i);
    if (epsilon < best.epsilon) best = {i, epsilon};
  }
  return best;
}

LineSolver::LineSolver(const LineTable& table, const Usage& usage, const TiltLadder& ladder,
                       const MomentWindow& window, double log_delta)
    : table_(table),
      ladder_(ladder),
      window_(window),
      log_delta_(log_delta),
      renyi_(std::max(0.0, best_rung(ladder, window.moments, window.first, log_delta).epsilon)),
      line_(table, usage, 0.95 * renyi_) {}

Bound LineSolver::epsilon() const {
  const double root = estimate();
  Bound found = {.lower = 0, .upper = renyi_};
  if (!std::isfinite(root)) return found;
  for (const double width : kWidths) {
    if (found.upper == renyi_ && at_most(above(root, width))) found.upper = above(root, width);
    if (found.lower == 0 && at_least(below(root, width))) found.lower = below(root, width);
  }
  if (found.upper == renyi_) found.upper = least_proved({.lower = root, .upper = renyi_});
  if (found.lower == 0) found.lower = most_proved({.lower = 0, .upper = root});
  return found;
}

// The root in plain doubles. log delta is concave, so Newton's steps stay on one side of it; when
// they are small the next one would square that.
double LineSolver::estimate() const {
  double epsilon = renyi_;
  for (int i = 0; i < 30; ++i) {
    const auto e = line_.estimate(epsilon);
    const double next = std::max(0.0, epsilon + (log_delta_ - e.log_delta) / e.slope);
    const bool done = std::abs(next - epsilon) <= 1e-10 * next;
    epsilon = next;
    if (done) break;
  }
  return epsilon;
}

bool LineSolver::at_least(double epsilon) const {
  return line_.at_least(epsilon, log_delta_, log_alias(epsilon));
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

// log of a bound of sum_{n != 0} exp(tilt x_n) delta(eps + x_n), x_n = n period: on the left
// delta <= 1, on the right by Chernoff's bound at whichever rung further up is best.
double LineSolver::log_alias(double epsilon) const {
  const double tilt = table_.shape().tilt, period = table_.shape().period * (1 - 1e-14);
  const double left = -tilt * period - std::log1p(-std::exp(-tilt * period));
  double right = std::numeric_limits<double>::infinity(), decay = 1;
  const std::size_t last = std::min(ladder_.size(), window_.first + window_.moments.size());
  for (std::size_t i = window_.first; i < last; ++i) {
    const double z = ladder_.tilt(i), further = (z - tilt) * period;
    const double k = window_.moments[i - window_.first];
    const double size = k - z * epsilon - further + 1e-14 * (k + z * epsilon + std::abs(further));
    if (further <= 0.5 || size >= right) continue;
    right = size;
    decay = further;
  }
  right -= std::log1p(-std::exp(-decay));
  return std::max(left, right) + std::log1p(std::exp(-std::abs(left - right))) + 1e-12;
}

}  // namespace ration
