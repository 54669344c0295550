#include "ration/numeric/fft.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

struct ArbComplex {
  Arb real, imaginary;
};

// exp(-2 pi i k / n)
ArbComplex root_of_unity(std::size_t k, std::size_t n) {
  ArbComplex root;
  const Arb angle =
      Arb(-2) * oracle::pi() * Arb(static_cast<double>(k)) / Arb(static_cast<double>(n));
  arb_sin_cos(root.imaginary.get(), root.real.get(), angle.get(), oracle::kBits);
  return root;
}

double distance(const std::complex<double>& computed, const ArbComplex& truth) {
  return std::hypot((Arb(computed.real()) - truth.real).approximate(),
                    (Arb(computed.imag()) - truth.imaginary).approximate());
}

TEST(Fft, ErrsByLessThanItsBoundOnRandomVectors) {
  oracle::Random random(1);
  for (const std::size_t n : {8u, 16u, 64u, 256u}) {
    std::vector<double> x(n);
    double size = 0;
    for (double& value : x) size += std::abs(value = random.uniform(-1, 1));
    const auto transform = fft(x);
    ASSERT_EQ(transform.size(), n / 2 + 1);
    for (std::size_t j = 0; j < transform.size(); ++j) {
      ArbComplex truth;
      for (std::size_t k = 0; k < n; ++k) {
        const ArbComplex root = root_of_unity(j * k % n, n);
        truth.real = truth.real + Arb(x[k]) * root.real;
        truth.imaginary = truth.imaginary + Arb(x[k]) * root.imaginary;
      }
      EXPECT_LE(distance(transform[j], truth), fft_error(n) * size);
    }
  }
}

// A spike's transform are the roots of unity themselves: large sizes, where tables matter.
TEST(Fft, ASpikeHasTheRootsOfUnity) {
  oracle::Random random(2);
  for (const std::size_t n : {4096u, 1u << 16, 1u << 20}) {
    std::vector<double> x(n, 0.0);
    const auto at = static_cast<std::size_t>(random.uniform(0, static_cast<double>(n)));
    x[at] = 1;
    const auto transform = fft(x);
    for (int i = 0; i < 200; ++i) {
      const auto j = static_cast<std::size_t>(random.uniform(0, static_cast<double>(n / 2)));
      EXPECT_LE(distance(transform[j], root_of_unity(j * at % n, n)), fft_error(n)) << n;
    }
  }
}

TEST(Fft, TheInverseUndoesIt) {
  oracle::Random random(3);
  const std::size_t n = 1 << 14;
  std::vector<double> x(n);
  for (double& value : x) value = random.uniform(0, 1);
  const auto transform = fft(x);
  const auto back = inverse_fft(transform);
  double size = 0;
  for (const auto& value : transform) size += 2 * std::abs(value) / static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_NEAR(back[k], x[k], fft_error(n) * size + fft_error(n) * static_cast<double>(n));
  }
}

}  // namespace
}  // namespace ration
