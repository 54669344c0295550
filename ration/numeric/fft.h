// The discrete Fourier transform of a real vector whose length n is a power of two, at least 8.
// Safe to call from several threads. docs/math/fourier.md, "Rounding of the transform"
//
// Accuracy: each value errs by at most fft_error(n) times the sum of the moduli that go into it.
// Testing: random vectors and single spikes against Arb.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace ration {

// X_j = sum_k x_k exp(-2 pi i j k / n) for j = 0 .. n/2; the others are their conjugates.
std::vector<std::complex<double>> fft(std::span<const double> x);

// The x of length n = 2 (size - 1) with fft(x) = X.
std::vector<double> inverse_fft(std::span<const std::complex<double>> transform);

double fft_error(std::size_t n);

}  // namespace ration
