// Many sums of phases at once, at evenly spaced frequencies: the nonuniform Fourier transform.
// Every phase is spread over a grid by a Gaussian, the grid is transformed, and what the Gaussian
// did is divided out: some 30 multiplications a term, however many frequencies. Pure functions.
// docs/math/fourier.md, "Sums of phases"
//
// Accuracy: each value errs by at most phase_sum_error times the sum of the moduli of the weights,
// and by what 4 roundings do to each phase m step x_n. Testing: against sums term by term.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace ration {

// sum_n weight_n exp(i m step x_n) for m = 0 .. count - 1; |step x_n| at most 2^20.
std::vector<std::complex<double>> phase_sums(std::span<const double> x,
                                             std::span<const double> weight, double step,
                                             std::size_t count);
double phase_sum_error(std::size_t terms, std::size_t count);

}  // namespace ration
