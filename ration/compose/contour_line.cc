#include "ration/compose/contour_line.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ration/base/error.h"
#include "ration/compose/saddle.h"
#include "ration/loss/rdp.h"
#include "ration/loss/tilted_law.h"
#include "ration/numeric/interval.h"

namespace ration::contour {
namespace {

// Below this many steps the log-moment of the law itself is sharp enough; above, its absolute
// error times the count would show, and the certified quadrature of rdp is used.
constexpr double kManySteps = 1000;

Bound log_moment(const PlanEntry& entry, const TiltedLaw& law, Direction direction) {
  if (entry.steps < kManySteps) return law.log_moment;
  return rdp::log_moment(entry.mechanism, law.tilt, direction);
}

constexpr double kLawDigits = kDigits + 8;

std::vector<TiltedLaw> laws_of(const Plan& plan, Direction direction, LawOptions options) {
  std::vector<TiltedLaw> laws;
  const double digits = options.digits;
  for (const auto& [mechanism, steps] : plan) {
    options.digits = digits + std::log(double{steps});
    laws.push_back(tilted_law(mechanism, direction, options));
  }
  return laws;
}

// log of a bound of |phi| of the whole plan beyond t.
double total_decay(const Plan& plan, const std::vector<TiltedLaw>& laws, double t) {
  double exponent = 0;
  for (std::size_t j = 0; j < plan.size(); ++j) exponent += plan[j].steps * log_decay(laws[j], t);
  return exponent;
}

}  // namespace

// How far the integral goes: what is cut off is phi* / (pi t), against about 1 / (tilt (tilt+1)
// deviation 2.5). Searched with few of the laws.
double Line::reach_for(const Plan& plan, Direction direction, double most_work) const {
  const Plan few = with_fewer_noises(plan);
  const auto coarse = laws_of(few, direction, {.tilt = tilt_, .reach = 0, .digits = kLawDigits});
  double variance = 0, nodes = 0, turns = 0;
  for (std::size_t j = 0; j < few.size(); ++j) {
    variance += few[j].steps * coarse[j].variance;
    nodes += static_cast<double>(coarse[j].loss.size()) + 1;
    // The nodes have to resolve exp(itL), which turns by up to t/s from one unit of u to the next.
    if (coarse[j].noise > 0) turns += 6 / coarse[j].noise;
  }
  const double deviation = std::sqrt(variance), scale = std::log(tilt_ * (tilt_ + 1) * deviation);
  const double copies = static_cast<double>(plan.size()) / static_cast<double>(few.size());
  for (double reach = 7 / deviation;; reach *= 1.25) {
    if (reach / step_ * (nodes + turns * reach) * copies > most_work) {
      throw OutOfReach("contour cannot certify this plan: the integral converges too slowly");
    }
    const double log_tail = total_decay(few, coarse, reach) - std::log(std::numbers::pi * reach);
    if (log_tail + scale < -kDigits) return reach;
  }
}

Line::Line(const Plan& plan, Direction direction, const LineOptions& options)
    : tilt_(options.tilt),
      step_(2 * std::numbers::pi / options.period),
      further_tilt_(options.further_tilt) {
  const double reach = reach_for(plan, direction, options.most_work);
  const auto points = static_cast<std::size_t>(std::ceil(reach / step_)) + 1;
  const double last = step_ * static_cast<double>(points);
  const auto laws = laws_of(plan, direction, {.tilt = tilt_, .reach = last, .digits = kLawDigits});
  // Of the points from `last` on: at most the integral over t from the point before, past `reach`.
  log_tail_ = total_decay(plan, laws, reach) - std::log(std::numbers::pi * reach);
  log_phi_ = {.sum = std::vector<std::complex<double>>(points),
              .error = std::vector<double>(points)};
  double total = 0;
  for (const PlanEntry& entry : plan) total += entry.steps;
  Bound centre = exactly(0);
  log_moment_ = exactly(0);
  for (std::size_t j = 0; j < plan.size(); ++j) {
    const double count = plan[j].steps;
    add_log_phi(laws[j], count, step_, log_phi_, kFastError / total);
    log_moment_ = log_moment_ + log_moment(plan[j], laws[j], direction) * count;
    centre = centre + exactly(laws[j].centre) * count;
  }
  centre_ = midpoint(centre);
  centre_error_ = width(centre);

  further_moment_ = 0;
  for (const auto& [mechanism, steps] : plan) {
    const TiltedLaw law =
        tilted_law(mechanism, direction, {.tilt = further_tilt_, .reach = 0, .digits = 12});
    further_moment_ = add_up(further_moment_, mul_up(steps, law.log_moment.upper));
  }
}

Line::Sum Line::sum(double epsilon) const {
  // Terms Re[exp(log phi + i t (centre - eps)) / (z (z+1))]; the one at t = 0 counts half.
  const double offset = centre_ - epsilon;
  const double offset_error =
      centre_error_ + 2 * kRoundoff * (std::abs(centre_) + std::abs(epsilon));
  Sum total{};
  double size_sum = 0;
  for (std::size_t m = 0; m < log_phi_.sum.size(); ++m) {
    const double t = step_ * static_cast<double>(m);
    const double size = std::exp(log_phi_.sum[m].real()) * (m == 0 ? 0.5 : 1);
    const std::complex<double> z(tilt_, t);
    const std::complex<double> turned = std::polar(size, log_phi_.sum[m].imag() + t * offset);
    const std::complex<double> term = turned / (z * (z + 1.0));
    total.value += term.real();
    total.slope -= (turned / (z + 1.0)).real();
    const double relative =
        log_phi_.error[m] + t * offset_error +
        kRoundoff * (16 + 4 * std::abs(log_phi_.sum[m].imag()) + 4 * std::abs(t * offset));
    total.error += std::abs(term) * std::expm1(1.01 * relative);
    size_sum += std::abs(term);
  }
  total.error += (2 * static_cast<double>(log_phi_.sum.size()) + 4) * kRoundoff * size_sum;
  return total;
}

// log of a bound of sum_{n != 0} exp(tilt x_n) delta(eps + x_n), x_n = 2 pi n / step.
double Line::log_alias(double epsilon) const {
  const double period = 2 * std::numbers::pi / step_ * (1 - 1e-14);
  const double left = -tilt_ * period - std::log1p(-std::exp(-tilt_ * period));  // delta <= 1
  const double decay = (further_tilt_ - tilt_) * period;
  const double size = further_moment_ - further_tilt_ * epsilon;
  const double right = size - decay - std::log1p(-std::exp(-decay)) +
                       1e-14 * (std::abs(further_moment_) + further_tilt_ * std::abs(epsilon));
  return std::max(left, right) + std::log1p(std::exp(-std::abs(left - right)));
}

Bound Line::delta(double epsilon) const {
  const Sum s = sum(epsilon);
  const Bound scale = log_moment_ - exactly(tilt_) * epsilon;
  const Bound rule = Bound{.lower = step_, .upper = step_} /
                     Bound{.lower = std::numbers::pi, .upper = next_up(std::numbers::pi)};
  const Bound tail = exp(scale + widen(exactly(log_tail_), 1e-9));
  // The sum over all points is delta plus the aliases, which are not negative.
  const Bound main = exp(scale) * rule * widen(exactly(s.value), s.error);
  const double alias = library_up(std::exp(log_alias(epsilon)) * (1 + 1e-9));
  const Bound found = {.lower = std::max(0.0, sub_down(sub_down(main.lower, tail.upper), alias)),
                       .upper = std::min(1.0, add_up(main.upper, tail.upper))};
  // Not a number instead of a sum: nothing is known.
  const bool finite = std::isfinite(main.lower) && std::isfinite(main.upper) &&
                      std::isfinite(tail.upper) && std::isfinite(alias);
  return finite ? found : Bound{.lower = 0, .upper = 1};
}

Line::Estimate Line::estimate(double epsilon) const {
  const Sum s = sum(epsilon);
  const double value = std::max(s.value, 1e-300);
  return {.log_delta =
              midpoint(log_moment_) - tilt_ * epsilon + std::log(value * step_ / std::numbers::pi),
          .slope = std::min(s.slope / value, -1e-12)};
}

}  // namespace ration::contour
