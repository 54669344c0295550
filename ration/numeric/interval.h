// Arithmetic on Bounds: every result contains every value that members of the operands can give.
// Formulas that must be both fast and certified are written once as templates and used with
// double (to search) and with Bound (to prove). Operands are finite. Pure functions.
#pragma once

#include <algorithm>
#include <cmath>

#include "ration/base/bound.h"
#include "ration/numeric/directed.h"

namespace ration {

inline Bound operator-(const Bound& a) { return {.lower = -a.upper, .upper = -a.lower}; }
inline Bound operator+(const Bound& a, const Bound& b) {
  return {.lower = add_down(a.lower, b.lower), .upper = add_up(a.upper, b.upper)};
}
inline Bound operator-(const Bound& a, const Bound& b) {
  return {.lower = sub_down(a.lower, b.upper), .upper = sub_up(a.upper, b.lower)};
}
inline Bound operator*(const Bound& a, const Bound& b) {
  if (a.lower >= 0 && b.lower >= 0) {
    return {.lower = std::max(0.0, mul_down(a.lower, b.lower)), .upper = mul_up(a.upper, b.upper)};
  }
  const auto [low, high] =
      std::minmax({a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper});
  return {.lower = next_down(low), .upper = next_up(high)};
}
// The divisor must not contain zero.
inline Bound operator/(const Bound& a, const Bound& b) {
  if (a.lower >= 0 && b.lower > 0) {
    return {.lower = std::max(0.0, div_down(a.lower, b.upper)), .upper = div_up(a.upper, b.lower)};
  }
  const auto [low, high] =
      std::minmax({a.lower / b.lower, a.lower / b.upper, a.upper / b.lower, a.upper / b.upper});
  return {.lower = next_down(low), .upper = next_up(high)};
}

inline Bound operator+(const Bound& a, double b) { return a + exactly(b); }
inline Bound operator+(double a, const Bound& b) { return exactly(a) + b; }
inline Bound operator-(const Bound& a, double b) { return a - exactly(b); }
inline Bound operator-(double a, const Bound& b) { return exactly(a) - b; }
inline Bound operator*(const Bound& a, double b) { return a * exactly(b); }
inline Bound operator*(double a, const Bound& b) { return exactly(a) * b; }
inline Bound operator/(const Bound& a, double b) { return a / exactly(b); }
inline Bound operator/(double a, const Bound& b) { return exactly(a) / b; }

inline Bound square(const Bound& a) {
  const Bound p = a * a;
  return {.lower = std::max(0.0, p.lower), .upper = p.upper};
}
inline double square(double a) { return a * a; }

inline Bound sqrt(const Bound& a) {
  return {.lower = std::max(0.0, next_down(std::sqrt(a.lower))),
          .upper = next_up(std::sqrt(a.upper))};
}
inline Bound exp(const Bound& a) {
  const double low = std::exp(a.lower), width = sub_up(a.upper, a.lower);
  // Most operands are narrow, and e^d <= 1 + d + d^2 for d <= 1 saves the second exponential.
  const bool narrow = width < 1e-6;
  const double high =
      narrow ? mul_up(library_up(low), add_up(1, mul_up(width, 1 + 2 * width))) : std::exp(a.upper);
  return {.lower = std::max(0.0, library_down(low)), .upper = narrow ? high : library_up(high)};
}
inline Bound expm1(const Bound& a) {
  return {.lower = std::max(-1.0, library_down(std::expm1(a.lower))),
          .upper = library_up(std::expm1(a.upper))};
}
inline Bound log(const Bound& a) {
  return {.lower = library_down(std::log(a.lower)), .upper = library_up(std::log(a.upper))};
}
inline Bound log1p(const Bound& a) {
  return {.lower = library_down(std::log1p(a.lower)), .upper = library_up(std::log1p(a.upper))};
}

// [a - error, a + error] with error >= 0.
inline Bound widen(const Bound& a, double error) {
  return {.lower = sub_down(a.lower, error), .upper = add_up(a.upper, error)};
}

}  // namespace ration
