// Directed rounding without touching the processor's rounding mode. The correctly rounded
// operations err by half a unit in the last place, so the neighbouring double is a bound.
// The C library's exp, log, expm1 and log1p err by at most one unit (glibc manual, "Known Maximum
// Errors in Math Functions"); we step out by two. Pure functions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#ifndef __GLIBC__
#error "the error bounds of exp, log, expm1 and log1p are those of the GNU C library"
#endif

namespace ration {

// The unit roundoff: |fl(a op b) - (a op b)| <= kRoundoff |a op b|.
inline constexpr double kRoundoff = 0x1p-53;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline double next_up(double x) {
  if (std::isnan(x) || x == std::numeric_limits<double>::infinity()) return x;
  if (x == 0) return std::numeric_limits<double>::denorm_min();
  const auto bits = std::bit_cast<std::int64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}
inline double next_down(double x) { return -next_up(-x); }

// The float next to x that is not below it, or not above it.
inline float float_up(double x) {
  const auto nearest = static_cast<float>(x);
  return static_cast<double>(nearest) < x ? std::nextafter(nearest, static_cast<float>(kInfinity))
                                          : nearest;
}
inline float float_down(double x) { return -float_up(-x); }

inline double add_up(double a, double b) { return next_up(a + b); }
inline double add_down(double a, double b) { return next_down(a + b); }
inline double sub_up(double a, double b) { return next_up(a - b); }
inline double sub_down(double a, double b) { return next_down(a - b); }
inline double mul_up(double a, double b) { return next_up(a * b); }
inline double mul_down(double a, double b) { return next_down(a * b); }
inline double div_up(double a, double b) { return next_up(a / b); }
inline double div_down(double a, double b) { return next_down(a / b); }

// One unit of the library's error, one more for safety.
inline double library_up(double x) { return next_up(next_up(x)); }
inline double library_down(double x) { return next_down(next_down(x)); }

}  // namespace ration
