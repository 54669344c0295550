// Gaussian noise on a lattice, and Poisson samples, from a secret stream. On all cores; the same
// numbers whatever their count. docs/math/noise.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ration/base/values.h"
#include "ration/noise/lattice.h"
#include "ration/noise/secret_stream.h"

namespace ration {

// Adds to each entry a draw of N(0, deviation^2) rounded to the sum's lattice. Since the sum lies
// on the lattice already, that is the rounding of sum + noise: post-processing of the Gaussian
// mechanism. Draws are exact to 2^-103 of the deviation. Refuses a deviation below 2^10 steps or
// above 2^45 (beyond about 2^34 draws get slow: more and more of them need more digits), and a sum
// that left its range.
void add_noise(LatticeSum& sum, double deviation, const SecretStream& stream, std::uint64_t step);

// Who is drawn at a step: each of `people` independently with probability `rate`, rounded down to a
// multiple of 2^-64. In increasing order. Everybody at rate 1.
std::vector<std::uint32_t> poisson_sample(std::size_t people, Rate rate, const SecretStream& stream,
                                          std::uint64_t step);

}  // namespace ration
