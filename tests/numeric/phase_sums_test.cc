#include "ration/numeric/phase_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "ration/numeric/directed.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

std::complex<double> term_by_term(const std::vector<double>& x, const std::vector<double>& weight,
                                  double step, std::size_t m) {
  Arb real(0), imaginary(0), cosine, sine;
  for (std::size_t n = 0; n < x.size(); ++n) {
    const Arb angle = Arb(step) * Arb(x[n]) * Arb(static_cast<double>(m));
    arb_sin_cos(sine.get(), cosine.get(), angle.get(), oracle::kBits);
    real = real + Arb(weight[n]) * cosine;
    imaginary = imaginary + Arb(weight[n]) * sine;
  }
  return {real.approximate(), imaginary.approximate()};
}

// Terms far apart and in one narrow heap, few frequencies and many.
TEST(PhaseSums, ErrByLessThanTheirBound) {
  oracle::Random random(3);
  for (const std::size_t count : {1u, 3u, 17u, 640u, 1024u}) {
    for (const double scale : {1e-7, 1.0, 300.0}) {
      std::vector<double> x, weight;
      double size = 0, phase = 0;
      const double step = random.log_uniform(0.01, 10);
      for (int n = 0; n < 300; ++n) {
        x.push_back(scale * random.uniform(-1, 1));
        weight.push_back(random.uniform(-0.2, 1));
        size += std::abs(weight.back());
        phase += std::abs(weight.back() * x.back());
      }
      const auto found = phase_sums(x, weight, step, count);
      ASSERT_EQ(found.size(), count);
      for (const std::size_t m : {std::size_t{0}, count / 3, count / 2, count - 1}) {
        const double allowed = phase_sum_error(x.size(), count) * size +
                               4 * kRoundoff * static_cast<double>(m) * step * phase;
        EXPECT_LE(std::abs(found[m] - term_by_term(x, weight, step, m)), allowed)
            << m << " of " << count << ", scale " << scale;
      }
    }
  }
}

// Good to thirteen digits, or the bound above would say nothing.
TEST(PhaseSums, AreSharp) {
  EXPECT_LE(phase_sum_error(1000, 640), 1e-12);
  const auto found = phase_sums(std::vector{0.7}, std::vector{1.0}, 1.0, 640);
  for (std::size_t m = 0; m < found.size(); ++m) {
    EXPECT_LE(std::abs(found[m] - std::polar(1.0, 0.7 * static_cast<double>(m))), 3e-13) << m;
  }
}

}  // namespace
}  // namespace ration
