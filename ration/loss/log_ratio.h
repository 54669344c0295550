// The subsampled Gaussian in its own units. With t = s u, Q = N(0, s^2) and
// P = (1-q) N(0, s^2) + q N(1, s^2),
//     P/Q = 1 + x,   x = q (exp(v) - 1),   v = u/s - 1/(2 s^2),   u ~ N(0,1) under Q.
// Real is double or Bound. Values, no state.
#pragma once

#include <cmath>

#include "ration/mechanism/mechanism.h"
#include "ration/numeric/interval.h"

namespace ration {

// What first-order sums of errors are multiplied by, for the terms of second order.
inline constexpr double kSafety = 1.01;

inline double plain(double x) { return x; }
inline double plain(const Bound& x) { return midpoint(x); }

template <class Real>
Real as(double x);
template <>
inline double as<double>(double x) {
  return x;
}
template <>
inline Bound as<Bound>(double x) {
  return exactly(x);
}
template <class Real>
Real as(const Bound& x);
template <>
inline double as<double>(const Bound& x) {
  return midpoint(x);
}
template <>
inline Bound as<Bound>(const Bound& x) {
  return x;
}

template <class Real>
class LogRatio {
 public:
  explicit LogRatio(const SubsampledGaussian& m)
      : rate_(as<Real>(m.rate)),
        inverse_noise_(as<Real>(1) / as<Real>(m.noise)),
        shift_(square(inverse_noise_) * 0.5),
        odds_((as<Real>(1) - rate_) / rate_) {
    using std::log, std::log1p;
    log_rate_ = log(rate_);
    log_rest_ = log1p(-rate_);
  }

  Real v(double u) const { return inverse_noise_ * u - shift_; }

  // x, to full relative precision where exp(v) is near 1.
  Real excess(double u) const {
    using std::expm1;
    return rate_ * expm1(v(u));
  }
  // log(1 + x). Where one part is the larger it is taken out of the logarithm: nothing overflows,
  // and a rate next to 1 does not cancel.
  Real value(double u) const {
    using std::exp, std::expm1, std::log1p;
    const Real exponent = v(u);
    if (plain(exponent + log_rate_) > 0) {
      return log_rate_ + exponent + log1p(odds_ * exp(-exponent));
    }
    if (plain(exponent) < -1) return log_rest_ + log1p(exp(exponent) / odds_);
    return log1p(rate_ * expm1(exponent));
  }
  // The share of the second component, p = q e^v / (1 + x) = d log(1+x) / d v: rising in u.
  Real share(double u) const {
    using std::exp;
    return as<Real>(1) / (as<Real>(1) + odds_ * exp(-v(u)));
  }
  const Real& inverse_noise() const { return inverse_noise_; }
  const Real& rate() const { return rate_; }
  const Real& log_rate() const { return log_rate_; }

 private:
  Real rate_, inverse_noise_, shift_, odds_;
  Real log_rate_{}, log_rest_{};
};

}  // namespace ration
