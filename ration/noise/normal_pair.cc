#include "ration/noise/normal_pair.h"

#include <utility>

namespace ration {

// The C library's arithmetic of 113 bits, under one name for both compilers: clang reads no
// declarations of these functions, and where long double has 113 bits that is the type. Slow (a
// microsecond a function): for what the doubles leave undecided. Errors of log, log1p, sin and cos
// are a few units in the last place (glibc manual, "Known Maximum Errors in Math Functions").
#if LDBL_MANT_DIG == 113
using Quad = long double;
#define RATION_QUAD(function) __asm__(#function "l")
#else
using Quad = __float128;
#define RATION_QUAD(function) __asm__(#function "f128")
#endif

extern "C" {
Quad quad_log(Quad x) noexcept RATION_QUAD(log);
Quad quad_log1p(Quad x) noexcept RATION_QUAD(log1p);
Quad quad_sin(Quad x) noexcept RATION_QUAD(sin);
Quad quad_cos(Quad x) noexcept RATION_QUAD(cos);
Quad quad_sqrt(Quad x) noexcept RATION_QUAD(sqrt);
Quad quad_rint(Quad x) noexcept RATION_QUAD(rint);
}
#undef RATION_QUAD

namespace {

// pi as a sum of doubles, to 2^-160.
constexpr Quad kPi =
    Quad{0x1.921fb54442d18p1} + (Quad{0x1.1a62633145c07p-53} + Quad{-0x1.f1976b7ed8fbcp-109});

struct Tail {
  Quad size;   // of the smaller of U and 1 - U, to full relative precision
  bool upper;  // it is 1 - U
};

// Digits of 1 - U are those of U inverted. Beyond the last digit stands one half.
Tail smaller_tail(const std::array<std::uint64_t, 4>& digits) {
  const bool upper = digits[0] >> 63 != 0;
  Quad size = Quad{0.5};
  for (std::size_t i = digits.size(); i-- > 0;) {
    size = (size + static_cast<Quad>(upper ? ~digits[i] : digits[i])) * Quad{0x1p-64};
  }
  return {size, upper};
}

}  // namespace

std::array<double, 2> decide_pair(const PairDigits& digits, double scale) {
  const auto [size, upper] = smaller_tail(digits.radius);
  const Quad exponential = upper ? -quad_log1p(-size) : -quad_log(size);
  const Quad radius = quad_sqrt(2 * exponential) * Quad{scale};

  // Two signs, which of the two is the cosine, and then the angle within an eighth of a turn.
  const std::uint64_t angle = digits.angle[0];
  const Quad rest = (static_cast<Quad>(digits.angle[1]) + Quad{0.5}) * Quad{0x1p-64};
  const Quad eighth = (static_cast<Quad>(angle & ~std::uint64_t{0} >> 3) + rest) * Quad{0x1p-61};
  const Quad phi = eighth * (kPi / 4);
  Quad first = quad_cos(phi), second = quad_sin(phi);
  if ((angle >> 61 & 1) != 0) std::swap(first, second);
  if ((angle >> 63 & 1) != 0) first = -first;
  if ((angle >> 62 & 1) != 0) second = -second;
  return {static_cast<double>(quad_rint(radius * first)),
          static_cast<double>(quad_rint(radius * second))};
}

}  // namespace ration
