// The inner loops of the recursion over what is left (linear_potential.h), in vector instructions:
// what eight entries of a price list make of two neighbouring levels, at every frequency.
#pragma once

#include <array>
#include <complex>
#include <cstddef>

namespace ration {

// Entries of a batch: two to a lane, as real and imaginary part of one transform.
inline constexpr std::size_t kEntriesTogether = 8;
// Doubles of a batch for one frequency: real and imaginary parts of the first four multipliers and
// of the second four.
inline constexpr std::size_t kBatchRow = 2 * kEntriesTogether;
using PerEntry = std::array<double, kEntriesTogether>;

// With X the lower level, Y the upper one, M the multipliers of an entry and s its share of the
// level, which is its price over the level's width:
enum class Mix {
  product,  // M X
  onward,   // M (s X + (1 - s) Y): what (2) asks of Y
  low,      // (M X - X) / s + (X - Y): condition (1), divided by s
  high,     // (M Y - Y) / s + M (X - Y): condition (2), divided by s
  between   // the same + F (Y - X), F what prices in between take off: condition (2) for these
};
struct LevelPair {
  const std::complex<double>*x, *y;  // count coefficients each; y is not read for product
  std::size_t count;                 // at most n / 2
};
// `data` for FftBatch of size n: the full transforms of the mixtures, whose values are real.
// Gives sum_k k^2 |mixture_k| of each entry, but for rounding at most 9% too large.
// The multipliers and `data` are aligned to 64 bytes; F is read for between alone.
struct Multipliers {
  const double* of_entry;           // M
  const double* of_fall = nullptr;  // F
};
PerEntry mixtures(Mix mix, const LevelPair& levels, const Multipliers& multipliers,
                  const PerEntry& share, std::size_t n, double* data);

// most[4 j + lane] becomes at least the values of both entries of that lane at place j.
void raise_to(const double* data, std::size_t n, double* most);

// The largest value of each entry.
PerEntry maxima(const double* data, std::size_t n);

// sum_k |X_k|, but for rounding at most 9% too large.
double sum_of_moduli(const std::complex<double>* coefficients, std::size_t count);

}  // namespace ration
