#include "ration/loss/rdp.h"

#include <algorithm>

#include "ration/loss/integrand.h"
#include "ration/loss/moment.h"
#include "ration/numeric/float_environment.h"
#include "ration/numeric/interval.h"

namespace ration::rdp {
namespace {

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
};

}  // namespace

Bound log_moment(const Mechanism& mechanism, double z, Direction direction) {
  const DefaultFloatEnvironment environment;
  const Bound k = std::visit(LogMoment<Bound>{z, direction}, mechanism);
  return {.lower = std::max(0.0, k.lower), .upper = k.upper};  // divergences are not negative
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
