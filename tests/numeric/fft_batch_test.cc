#include "ration/numeric/fft_batch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

TEST(FftBatch, ErrsByLessThanItsBoundOnRandomVectors) {
  oracle::Random random(3);
  for (const std::size_t n : {8u, 16u, 32u, 128u}) {
    const FftBatch transform(n);
    alignas(64) double data[128 * 2 * kFftLanes];
    for (std::size_t i = 0; i < n * 2 * kFftLanes; ++i) data[i] = random.uniform(-1, 1);
    const std::vector<double> given(data, data + n * 2 * kFftLanes);
    transform.inverse(data);
    for (std::size_t lane = 0; lane < kFftLanes; ++lane) {
      for (std::size_t j = 0; j < n; ++j) {
        Arb real, imaginary, cosine, sine;
        double size = 0;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = given[2 * k * kFftLanes + lane],
                       y = given[(2 * k + 1) * kFftLanes + lane];
          size += std::hypot(x, y);
          const Arb angle = Arb(2) * oracle::pi() * Arb(static_cast<double>(j * k % n)) /
                            Arb(static_cast<double>(n));
          arb_sin_cos(sine.get(), cosine.get(), angle.get(), oracle::kBits);
          real = real + Arb(x) * cosine - Arb(y) * sine;
          imaginary = imaginary + Arb(x) * sine + Arb(y) * cosine;
        }
        const std::size_t at = 2 * transform.place()[j] * kFftLanes + lane;
        const double error = std::hypot((Arb(data[at]) - real).approximate(),
                                        (Arb(data[at + kFftLanes]) - imaginary).approximate());
        EXPECT_LE(error, fft_batch_error(n) * size) << n << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace ration
