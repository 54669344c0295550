// The C library's arithmetic of 113 bits, under one name for both compilers: clang reads no
// declarations of these functions, and where long double has 113 bits that is the type. Slow (a
// microsecond a function): for what the doubles leave undecided. Errors of log, log1p, sin and cos
// are a few units in the last place (glibc manual, "Known Maximum Errors in Math Functions").
#pragma once

#include <cfloat>

namespace ration {

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

}  // namespace ration
