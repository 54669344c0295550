// What is integrated for the log-moments, at one node u, without the factor 1/sqrt(2 pi).
// `power` is e = 1 + z (remove) or e = -z (add). Real is double or Bound. Values, no state.
#pragma once

#include <cmath>

#include "ration/loss/log_ratio.h"

namespace ration {

template <class Real>
class Integrand {
 public:
  Integrand(const SubsampledGaussian& m, double z, Direction direction)
      : ratio_(m),
        z_(z),
        remove_(direction == Direction::remove),
        power_(remove_ ? as<Real>(1) + as<Real>(z) : as<Real>(-z)) {}

  // h(u) = -u^2/2 + e log(1+x): the logarithm of the integrand.
  Real exponent(double u) const { return power_ * ratio_.value(u) - square(as<Real>(u)) * 0.5; }
  // h'(u) = -u + (e/s) p(u).
  Real slope(double u) const { return power_ * ratio_.inverse_noise() * ratio_.share(u) - u; }

  // exp(-u^2/2) psi(x), psi(x) = (1+x)^e - 1 - e x >= 0. Since E_Q[x] = 0, its integral is the
  // moment minus 1, without the 1 that would drown a small moment.
  Real surplus(double u) const {
    using std::exp, std::expm1;
    const Real weight = -square(as<Real>(u)) * 0.5, v = ratio_.v(u), log_ratio = ratio_.value(u);
    if (plain(v) < 500) {  // exp(v) does not overflow
      const Real x = ratio_.excess(u);
      const bool small = std::abs(plain(x)) <= 0.0625 && std::abs(plain(power_ * x)) <= 0.25;
      if (small) return exp(weight) * series(x);
    }
    // The weight goes into every exponential, so that large x do not overflow.
    const Real weighted_x = plain(v) < 1 ? exp(weight) * ratio_.excess(u)
                                         : ratio_.rate() * (exp(weight + v) - exp(weight));
    const Real grown = log_ratio * z_;
    if (remove_) {
      if (plain(grown) > 1) return exp(exponent(u)) - exp(weight) - power_ * weighted_x;
      // (1+x)((1+x)^z - 1) - z x
      return exp(weight + log_ratio) * expm1(grown) - weighted_x * z_;
    }
    if (plain(grown) < -1) return exp(exponent(u)) - exp(weight) + weighted_x * z_;
    return exp(weight) * expm1(-grown) + weighted_x * z_;
  }

  const LogRatio<Real>& ratio() const { return ratio_; }
  const Real& power() const { return power_; }

 private:
  // psi as its power series, e(e-1)/2 x^2 (1 + (e-2)/3 x (1 + (e-3)/4 x (1 + ...))). With
  // |e x| <= 1/4 and |x| <= 1/16 each bracket is 1 + at most 0.15 times the next one, so what is
  // left out after kTerms lies in [0.8, 1.2] times the last bracket's 1.
  Real series(const Real& x) const {
    constexpr int kTerms = 18;
    Real bracket = rest();
    for (int k = kTerms; k >= 3; --k) {
      bracket = as<Real>(1) + (power_ - as<Real>(k - 1)) / as<Real>(k) * x * bracket;
    }
    const Real pairs = as<Real>(z_) * (as<Real>(z_) + as<Real>(1)) * 0.5;  // e(e-1)/2, both ways
    return pairs * square(x) * bracket;
  }
  static Real rest();

  LogRatio<Real> ratio_;
  double z_;
  bool remove_;
  Real power_;
};

template <>
inline double Integrand<double>::rest() {
  return 1;
}
template <>
inline Bound Integrand<Bound>::rest() {
  return {.lower = 0.8, .upper = 1.2};
}

}  // namespace ration
