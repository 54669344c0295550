// The inner loops of the recursion behind the tight filter against the formulas that they stand
// for, term by term: what a level is proved by must not be something else.

#include "ration/control/potential_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "ration/control/moment_batch.h"
#include "ration/numeric/fft_batch.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using Complex = std::complex<double>;
constexpr std::size_t kPoints = 32, kCount = 16;

struct Case {
  std::vector<Complex> lower, upper;
  std::vector<std::vector<Complex>> moments, falls;  // of each entry
  PerEntry share{};
};

Case random_case(oracle::Random& random) {
  const auto coefficients = [&](double fall) {
    std::vector<Complex> c;
    for (std::size_t k = 0; k < kCount; ++k) {
      const double size = std::exp(-fall * static_cast<double>(k));
      c.emplace_back(size * random.uniform(-1, 1), k == 0 ? 0 : size * random.uniform(-1, 1));
    }
    return c;
  };
  Case made{.lower = coefficients(0.1), .upper = coefficients(0.1), .moments = {}, .falls = {}};
  for (double& share : made.share) {
    share = random.uniform(0.05, 1);
    made.moments.push_back(coefficients(0.05));
    made.falls.push_back(coefficients(0.05));
  }
  return made;
}

Complex mixed(Mix mix, const Case& c, std::size_t entry, std::size_t k) {
  const Complex x = c.lower[k], y = c.upper[k], m = c.moments[entry][k], f = c.falls[entry][k];
  const double s = c.share[entry];
  switch (mix) {
    case Mix::product:
      return m * x;
    case Mix::onward:
      return m * (s * x + (1 - s) * y);
    case Mix::low:
      return (m * x - x) / s + (x - y);
    case Mix::high:
      return (m * y - y) / s + m * (x - y);
    case Mix::between:
      return (m * y - y) / s + m * (x - y) + f * (y - x);
  }
  return 0;
}

AlignedDoubles laid_out(const std::vector<std::vector<Complex>>& of_entries) {
  AlignedDoubles out(kCount * kBatchRow);
  for (std::size_t i = 0; i < kEntriesTogether; ++i) {
    double* at = MomentBatch::at(out, i);
    for (std::size_t k = 0; k < kCount; ++k, at += kBatchRow) {
      at[0] = of_entries[i][k].real();
      at[kFftLanes] = of_entries[i][k].imag();
    }
  }
  return out;
}

// The value at point j of the real polynomial with these coefficients.
template <class Coefficient>
double value_at(std::size_t j, const Coefficient& coefficient) {
  double sum = coefficient(0).real();
  for (std::size_t k = 1; k < kCount; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(j * k) / kPoints;
    sum += 2 * (coefficient(k) * std::polar(1.0, angle)).real();
  }
  return sum;
}

TEST(PotentialKernel, MixturesAreTheirFormulas) {
  oracle::Random random(71);
  const FftBatch transform(kPoints);
  for (int round = 0; round < 20; ++round) {
    const Case c = random_case(random);
    const AlignedDoubles moments = laid_out(c.moments), falls = laid_out(c.falls);
    for (const Mix mix : {Mix::product, Mix::onward, Mix::low, Mix::high, Mix::between}) {
      AlignedDoubles data(kPoints * 2 * kFftLanes);
      const PerEntry curvature =
          mixtures(mix, {c.lower.data(), c.upper.data(), kCount}, {moments.get(), falls.get()},
                   c.share, kPoints, data.get());
      transform.inverse(data.get());
      const PerEntry most = maxima(data.get(), kPoints);
      for (std::size_t i = 0; i < kEntriesTogether; ++i) {
        const auto coefficient = [&](std::size_t k) { return mixed(mix, c, i, k); };
        double largest = -1e300, bent = 0;
        for (std::size_t j = 0; j < kPoints; ++j) {
          largest = std::max(largest, value_at(j, coefficient));
        }
        EXPECT_NEAR(most[i], largest, 1e-11) << static_cast<int>(mix) << " " << i;
        if (mix == Mix::product || mix == Mix::onward) continue;
        for (std::size_t k = 0; k < kCount; ++k) {
          bent += static_cast<double>(k * k) * std::abs(coefficient(k));
        }
        EXPECT_GE(curvature[i], bent * (1 - 1e-12));
        EXPECT_LE(curvature[i], 1.09 * bent);
      }
    }
  }
}

}  // namespace
}  // namespace ration
