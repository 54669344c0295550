#include "ration/loss/moment.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ration/loss/node_walk.h"
#include "ration/numeric/quadrature.h"
#include "ration/numeric/search.h"

namespace ration {
namespace {

constexpr double kDigits = 40;  // the rule may err by exp(-40) = 4e-18 of the integral
constexpr double kCutoff = 45;  // what lies exp(-45) = 3e-20 below the result is not summed

template <class Real>
Real sqrt_two_pi();
template <>
double sqrt_two_pi<double>() {
  return 2.5066282746310005;
}
template <>
Bound sqrt_two_pi<Bound>() {
  return {.lower = 2.5066282746310002, .upper = 2.5066282746310007};
}

double with_omitted(double sum, double) { return sum; }
Bound with_omitted(const Bound& sum, double omitted) {
  return {.lower = std::max(0.0, sum.lower), .upper = add_up(sum.upper, omitted)};
}

// The scaled sum of the integrand over all nodes.
template <class Real>
Real node_sum(const SubsampledGaussian& m, double z, Direction direction, Form form,
              const NodeRange& range) {
  using std::exp;
  const Integrand<Real> integrand(m, z, direction);
  Real sum = as<Real>(0);
  const double omitted = NodeWalk(m, z, direction, form).over(range, [&](double u) {
    sum = sum + (form == Form::surplus ? integrand.surplus(u)
                                       : exp(integrand.exponent(u) - as<Real>(range.offset)));
  });
  return with_omitted(sum, omitted);
}

// The integral from its trapezoid sum, given |sum - integral| <= error (integral + outside (1 +
// integral)).
double corrected(double sum, double, double) { return sum; }
Bound corrected(const Bound& sum, double error, double outside) {
  const Bound slack = exactly(error) * exactly(outside);
  const Bound share = exactly(error) * (1 + exactly(outside));
  if (share.upper >= 0.5) return {.lower = 0, .upper = std::numeric_limits<double>::max()};
  return {.lower = std::max(0.0, ((sum - slack) / (1 + share)).lower),
          .upper = ((sum + slack) / (1 - share)).upper};
}

// K = log of the integral of (P/Q)^e: for moments that are not small.
template <class Real>
Real direct(const SubsampledGaussian& m, double z, Direction direction, double peak, double top) {
  using std::log;
  const bool remove = direction == Direction::remove;
  // On Im u = +-a the modulus of 1+x is at most what it is on the real line, which settles remove,
  // and at least cos(a/2s) times that, which settles add.
  const StripGrowth growth = {.scale = m.noise, .cosine_power = remove ? 0 : z};
  const StripRule rule = choose_rule(growth, kDigits);
  const double reach = std::sqrt(2 * (kCutoff + 20));
  const Real sum = node_sum<Real>(m, z, direction, Form::direct,
                                  {.from = remove ? -reach : peak - reach,
                                   .to = (remove ? (z + 1) / m.noise : peak) + reach,
                                   .step = rule.step,
                                   .offset = top,
                                   .level = top - kCutoff});
  return log(corrected(sum * rule.step / sqrt_two_pi<Real>(), rule_error(rule, growth), 0)) + top;
}

// K = log(1 + the integral of psi): for small moments, to the same relative accuracy.
template <class Real>
Real by_surplus(const SubsampledGaussian& m, double z, Direction direction, double peak) {
  using std::log1p;
  const bool remove = direction == Direction::remove;
  const StripGrowth growth = {.scale = m.noise,
                              .cosine_power = remove ? std::max(0.0, 1 - z) : z + 2};
  // |psi| on Im u = +-a is at most psi on the real line plus a term that does not vanish with x;
  // its integral is at most `outside` times the moment (docs/math/renyi.md).
  const auto outside = [&](const StripRule& rule) {
    const double sine = std::min(1.0, rule.half_width / (2 * m.noise));
    const double rest = remove ? 1.0 : 1 - m.rate;
    return 2.001 * sine * sine * z * (z + 1) * m.rate * (m.rate + 1 / rest);
  };
  // Second order: the integral of psi is about z(z+1)/2 E x^2. A poor guess is mended below.
  double guess = std::log(0.5 * z * (z + 1)) + 2 * std::log(m.rate) +
                 std::log(std::expm1(std::min(1.0, 1 / (m.noise * m.noise))));
  for (int round = 0;; ++round) {
    const double widest = outside(choose_rule(growth, kDigits));
    const StripRule rule = choose_rule(growth, kDigits + std::log1p(widest * std::exp(-guess)));
    const double reach = std::sqrt(2 * (kCutoff + 20 + std::max(0.0, -guess) + std::log1p(z)));
    const Real sum =
        node_sum<Real>(m, z, direction, Form::surplus,
                       {.from = remove ? -reach : peak - reach,
                        .to = (remove ? (z + 1) / m.noise : std::max(peak, 1 / m.noise)) + reach,
                        .step = rule.step,
                        .offset = 0,
                        .level = guess - kCutoff});
    const Real integral =
        corrected(sum * rule.step / sqrt_two_pi<Real>(), rule_error(rule, growth), outside(rule));
    const double found = std::log(std::max(plain(integral), 1e-300));
    if (found > guess - 5 || round == 3) return log1p(integral);
    guess = found;
  }
}

}  // namespace

double highest_point(const Integrand<double>& h, Direction direction) {
  const double edge = h.power() * h.ratio().inverse_noise();  // h' = -u + edge * share(u)
  if (direction == Direction::add) {  // h is concave, with its maximum between the edge and 0
    return find_root([&](double u) { return -h.slope(u); }, {.lower = edge, .upper = 0});
  }
  // At most two maxima: iterating u = edge * share(u) climbs from 0 to the left one and falls from
  // the edge to the right one.
  const auto iterate = [&](double u) {
    for (int i = 0; i < 100; ++i) {
      const double next = edge * h.ratio().share(u);
      if (std::abs(next - u) < 1e-3) return next;
      u = next;
    }
    return u;
  };
  const double left = iterate(0), right = iterate(edge);
  return h.exponent(left) > h.exponent(right) ? left : right;
}

template <class Real>
Real log_moment_of(const SubsampledGaussian& mechanism, double z, Direction direction) {
  const Integrand<double> h(mechanism, z, direction);
  const double peak = highest_point(h, direction), top = h.exponent(peak);
  // h'' >= -1 for remove, so K >= top there; a moment below e^3 loses nothing as 1 + surplus.
  return top > 3 ? direct<Real>(mechanism, z, direction, peak, top)
                 : by_surplus<Real>(mechanism, z, direction, peak);
}

template Bound log_moment_of<Bound>(const SubsampledGaussian&, double, Direction);
template double log_moment_of<double>(const SubsampledGaussian&, double, Direction);

}  // namespace ration
