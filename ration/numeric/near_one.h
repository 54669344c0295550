// Complex exponentials and logarithms near one, without cancellation: what differs from one is
// what is given and returned, with an error of a few units of its own size. Pure functions.
#pragma once

#include <cmath>
#include <complex>

namespace ration {

// exp(i angle) - 1.
inline std::complex<double> expm1_i(double angle) {
  const double sine = std::sin(0.5 * angle), cosine = std::cos(0.5 * angle);
  return {-2 * sine * sine, 2 * sine * cosine};
}

// exp(z) - 1 = exp(x) (exp(iy) - 1) + (exp(x) - 1).
inline std::complex<double> expm1(const std::complex<double>& z) {
  return std::exp(z.real()) * expm1_i(z.imag()) + std::expm1(z.real());
}

// log(1 + d). Near 1 by the logarithm of |1 + d|^2 - 1 = 2 Re d + |d|^2, which cancels near 0.
inline std::complex<double> log1p(const std::complex<double>& d) {
  const double argument = std::atan2(d.imag(), 1 + d.real());
  if (d.real() < -0.5) return {std::log(std::hypot(1 + d.real(), d.imag())), argument};
  return {0.5 * std::log1p(2 * d.real() + std::norm(d)), argument};
}

}  // namespace ration
