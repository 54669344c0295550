// What gdp.cc needs of the vector kernels. Inputs have been checked: mu > 0, epsilon >= 0.
#pragma once

#include <cstddef>

#include "ration/base/bound.h"

namespace ration::gdp {

// Below a = -0.6 the complement 1 - delta = phi(a) (m(-a) + m(b)) is computed instead of delta:
// whichever is computed, both are then at least 0.27 or small without cancellation.
inline constexpr double kComplementBelow = -0.6;

// delta, or what is missing to 1: each is sharp to relative precision where it is small.
enum class Side { delta, rest };

void delta_batch(const double* epsilon, const double* mu, Side side, Bound* out, std::size_t count);

// Sets proved[i] to 0 where the quick search did not end in a proof; out[i] is then meaningless.
void epsilon_batch(const double* mu, const double* delta, Bound* out, unsigned char* proved,
                   std::size_t count);

}  // namespace ration::gdp
