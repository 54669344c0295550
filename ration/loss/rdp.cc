#include "ration/loss/rdp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/loss/integrand.h"
#include "ration/loss/moment.h"
#include "ration/mechanism/mechanism.h"
#include "ration/numeric/interval.h"

namespace ration::rdp {
namespace {

double upper_of(double x) { return x; }
double upper_of(const Bound& x) { return x.upper; }

// log sum p (p/r)^z over the outcomes, the largest term taken out.
template <class Real>
Real log_moment_of_outcomes(std::span<const OutcomePair> outcomes, double z, Direction direction) {
  using std::exp, std::log;
  std::vector<Real> exponents;
  double largest = -std::numeric_limits<double>::infinity();
  for (const OutcomePair& outcome : outcomes) {
    const Bound& p = direction == Direction::remove ? outcome.with : outcome.without;
    const Bound& r = direction == Direction::remove ? outcome.without : outcome.with;
    if (p.upper == 0) continue;
    if (r.upper == 0) {
      throw Error(
          "method rdp cannot account for this pair: an outcome has probability 0 on one side "
          "only, so every Renyi divergence is infinite; choose fourier");
    }
    const Real log_p = log(as<Real>(p)), log_r = log(as<Real>(r));
    exponents.push_back(log_p + as<Real>(z) * (log_p - log_r));
    largest = std::max(largest, upper_of(exponents.back()));
  }
  Real sum = as<Real>(0);
  for (const Real& e : exponents) sum = sum + exp(e - largest);
  return log(sum) + largest;
}

template <class Real>
struct LogMoment {
  double z;
  Direction direction;
  // N(0, s^2) against N(1, s^2): z (z + 1) / (2 s^2), the same in both directions.
  Real operator()(const Gaussian& m) const {
    return as<Real>(z) * (as<Real>(z) + 1) / (2 * square(as<Real>(m.noise)));
  }
  Real operator()(const SubsampledGaussian& m) const {
    if (m.rate == 1.0) return (*this)(Gaussian{.noise = m.noise});
    if (m.noise < kLeastNoise) {
      refuse("noise", m.noise, "at least 0.01 when the rate is below 1");
    }
    return log_moment_of<Real>(m, z, direction);
  }
  // (1+z)/(1+2z) e^(z/b) + z/(1+2z) e^(-(1+z)/b) (Mironov 2017, table II), written around e^(z/b).
  Real operator()(const Laplace& m) const {
    using std::expm1, std::log1p;
    const Real twice = as<Real>(z) * 2 + 1;
    return as<Real>(z) / as<Real>(m.noise) +
           log1p(as<Real>(z) / twice * expm1(-(twice / as<Real>(m.noise))));
  }
  Real operator()(const RandomisedResponse& m) const {
    return log_moment_of_outcomes<Real>(outcomes_of(m), z, direction);
  }
  Real operator()(const DiscretePair& m) const {
    return log_moment_of_outcomes<Real>(outcomes_of(m), z, direction);
  }
};

}  // namespace

Bound log_moment(const Mechanism& mechanism, double z, Direction direction) {
  const DefaultFloatEnvironment environment;
  const Bound k = std::visit(LogMoment<Bound>{z, direction}, mechanism);
  return max(k, exactly(0));  // divergences are not negative
}

double log_moment_estimate(const Mechanism& mechanism, double z, Direction direction) {
  return std::visit(LogMoment<double>{z, direction}, mechanism);
}

Bound divergence(const Mechanism& mechanism, Order order, Direction direction) {
  const double z = order - 1;  // exact: the difference has no more bits than the order
  const Bound d = log_moment(mechanism, z, direction) / z;
  return {.lower = std::max(0.0, d.lower), .upper = d.upper};
}

Bound divergence(const Mechanism& mechanism, Order order) {
  return max(divergence(mechanism, order, Direction::remove),
             divergence(mechanism, order, Direction::add));
}

}  // namespace ration::rdp
