// Complex Fourier transforms of several vectors side by side, one to a lane of the processor's
// vectors. The values come out in bit-reversed order, which costs nothing to whoever asks each
// place the same question. docs/math/tight_filter.md, "Computing it, with every error"
//
// Accuracy: each value errs by at most fft_batch_error(n) times the sum of the moduli that go into
// it. Testing: random vectors against Arb. Const calls from several threads are safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ration {

inline constexpr std::size_t kFftLanes = 4;

class FftBatch {
 public:
  // n is a power of two, at least 8.
  explicit FftBatch(std::size_t n);

  // x_j = sum_k X_k exp(+2 pi i j k / n) in every lane, in place. On entry data holds X_k at
  // (2 k) kFftLanes + lane (real) and (2 k + 1) kFftLanes + lane (imaginary), on return x_j at the
  // place of k = place()[j]. `data` is aligned to 64 bytes.
  void inverse(double* data) const;

  std::size_t size() const { return size_; }
  const std::vector<std::uint32_t>& place() const { return place_; }

 private:
  std::size_t size_;
  std::vector<double> roots_;  // of each pass, for each j: w^j, w^2j and w^3j
  std::vector<std::uint32_t> place_;
};

double fft_batch_error(std::size_t n);

}  // namespace ration
