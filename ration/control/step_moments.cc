#include "ration/control/step_moments.h"

#include <cmath>

#include "ration/loss/log_ratio.h"
#include "ration/numeric/interval.h"

namespace ration {

constexpr double kMomentDigits = 36;  // quadrature may err by exp(-36) = 2e-16

StepMoments::StepMoments(const SubsampledGaussian& step, Direction direction, const Line& line)
    : law_(tilted_law(step, direction,
                      {.tilt = line.tilt,
                       .reach = line.frequency * static_cast<double>(line.count),
                       .digits = kMomentDigits})),
      frequency_(line.frequency) {
  log_phi_.sum.resize(line.count);
  log_phi_.error.resize(line.count);
  add_log_phi(law_, 1, line.frequency, log_phi_);
}

StepMoments::Value StepMoments::power(std::size_t k, double steps) const {
  const double t = frequency_ * static_cast<double>(k);
  const double moment = midpoint(law_.log_moment), turn = t * law_.centre;
  const std::complex<double> phi = log_phi_.sum[k];
  // The sign of t: conjugates.
  const double size = steps * (moment + phi.real()), angle = -steps * (turn + phi.imag());
  const double rounding =
      steps * (std::abs(moment) + std::abs(phi.real()) + std::abs(phi.imag()) + std::abs(turn));
  const double error = kSafety * (steps * (log_phi_.error[k] + width(law_.log_moment)) +
                                  8 * kRoundoff * (rounding + 1));
  const double modulus = std::exp(size);
  // |e^a - e^b| <= e^a (e^|a - b| - 1), or both moduli where nothing is known of the angle.
  const double off = error < 0.5 ? modulus * std::expm1(error) : std::exp(size + error) + modulus;
  return {.value = std::polar(modulus, angle), .error = kSafety * off};
}

double StepMoments::mass_up(double steps) const {
  return exp(exactly(steps) * law_.log_moment).upper;
}

}  // namespace ration
