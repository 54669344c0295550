// The inner loops of the recursion over what is left (least_potential.h), in vector instructions:
// products of a row of Fourier coefficients with eight tickets at once.
#pragma once

#include <array>
#include <complex>
#include <cstddef>

namespace ration {

// Tickets of a batch: two to a lane, as real and imaginary part of one transform.
inline constexpr std::size_t kTicketsTogether = 8;
// Doubles of a batch for one frequency: real and imaginary parts of the first four multipliers and
// of the second four.
inline constexpr std::size_t kBatchRow = 2 * kTicketsTogether;

// Where each ticket of a batch starts from: rows of Fourier coefficients.
using BatchRows = std::array<const std::complex<double>*, kTicketsTogether>;

// data for FftBatch of size n: the full transforms of X_k M_k, k = 0 .. count - 1 <= n/2 - 1, whose
// values are real. `multipliers` and `data` are aligned to 64 bytes.
void products(const BatchRows& rows, const double* multipliers, std::size_t count, std::size_t n,
              double* data);

// most[4 j + lane] becomes at least the values of both tickets of that lane at place j.
void raise_to(const double* data, std::size_t n, double* most);

// sum_k k^2 |X_k M_k - Y_k| of each ticket, but for rounding at most 9% too large.
std::array<double, kTicketsTogether> distances_of_curvature(const BatchRows& rows,
                                                            const double* multipliers,
                                                            const std::complex<double>* result,
                                                            std::size_t count);

// sum_k |X_k|, in the same sense.
double sum_of_moduli(const std::complex<double>* coefficients, std::size_t count);

}  // namespace ration
