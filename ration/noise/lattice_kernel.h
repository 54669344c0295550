// The inner loops of sums on a lattice, in vector instructions.
#pragma once

#include <span>

namespace ration {

// sums[i] += entries[i] * scale, rounded to the nearest whole number; scale is a power of two.
// Whether all sums are finite and below 2^52 afterwards.
bool add_rounded(std::span<const float> entries, double scale, std::span<double> sums);

// sums[i] += multiples[i], whole numbers both.
bool add_multiples(std::span<const double> multiples, std::span<double> sums);

}  // namespace ration
