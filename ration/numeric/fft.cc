#include "ration/numeric/fft.h"

#include <cmath>
#include <unsupported/Eigen/FFT>

#include "ration/numeric/directed.h"

namespace ration {
namespace {

// Keeps its tables of sines and cosines from one call to the next.
Eigen::FFT<double>& engine() {
  thread_local Eigen::FFT<double> fft(Eigen::FFT<double>::impl_type(),
                                      Eigen::FFT<double>::HalfSpectrum);
  return fft;
}

}  // namespace

std::vector<std::complex<double>> fft(std::span<const double> x) {
  std::vector<std::complex<double>> transform(x.size() / 2 + 1);
  engine().fwd(transform.data(), x.data(), static_cast<Eigen::Index>(x.size()));
  return transform;
}

std::vector<double> inverse_fft(std::span<const std::complex<double>> transform) {
  std::vector<double> x(2 * (transform.size() - 1));
  engine().inv(x.data(), transform.data(), static_cast<Eigen::Index>(x.size()));
  return x;
}

// Every output is a sum over a tree of log2(n) levels. A level multiplies by a root of unity that
// is right to 2u (angles are first reduced to an eighth of the circle), which rounds by 2 sqrt(2) u
// at most, and adds: 6u a level, 8u with the terms of second order. A real vector goes through a
// complex transform of half its length and is taken apart with at most twice the error and 16u
// more.
double fft_error(std::size_t n) {
  return 2 * (8 * std::log2(static_cast<double>(n)) + 8) * kRoundoff;
}

}  // namespace ration
