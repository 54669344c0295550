#include "ration/loss/tilted_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ration/numeric/directed.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/moment.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

struct Complex {
  Arb real, imaginary;
};

// E exp((z + i t) L) of a step, by the trapezoid rule at 256 bits, with far more nodes than needed.
// The likelihood ratio without sampling has the logarithm v in both laws, so that L is the same
// function of v for every noise, and moments of what is extrapolated are differences of these.
Complex moment_at(const oracle::MomentCase& c, double z, double t, bool remove) {
  const double edge = remove ? (1 + z) / c.noise : -z / c.noise;
  const double step = std::min(0.125, c.noise / 16) / (1 + t / c.noise / 16);
  Complex sum = {.real = 0, .imaginary = 0};
  const double from = std::floor((std::min(0.0, edge) - 15) / step);
  for (double n = from; n * step <= std::max(0.0, edge) + 15; ++n) {
    const Arb u = Arb(n) * Arb(step), s = c.noise;
    const Arb loss = oracle::log1p(Arb(c.rate) * oracle::expm1(u / s - Arb(0.5) / (s * s)));
    const Arb power = remove ? Arb(1) + Arb(z) : -Arb(z),
              angle = (remove ? Arb(t) : -Arb(t)) * loss;
    const Arb weight = oracle::exp(power * loss - u * u / 2) * Arb(step);
    sum.real = sum.real + weight * Arb::apply(arb_cos, angle);
    sum.imaginary = sum.imaginary + weight * Arb::apply(arb_sin, angle);
  }
  const Arb norm = oracle::sqrt(Arb(2) * oracle::pi());
  return {.real = sum.real / norm, .imaginary = sum.imaginary / norm};
}

struct Case {
  double noise, far, rate, times;
  bool remove;
};

Case random_case(oracle::Random& random) {
  Case c = {.noise = random.log_uniform(0.1, 20),
            .far = 0,
            .rate = random.coin(0.5) ? random.log_uniform(1e-5, 1) : random.uniform(0.01, 0.99),
            .times = random.log_uniform(0.05, random.coin(0.2) ? 1e6 : 20),
            .remove = random.coin(0.5)};
  c.far = c.noise * (1 + random.log_uniform(random.coin(0.2) ? 1e-12 : 1e-5, 0.4));
  return c;
}

Complex extrapolated_at(const Case& c, double times, double z, double t) {
  const Complex near = moment_at({c.noise, c.rate}, z, t, c.remove),
                far = moment_at({c.far, c.rate}, z, t, c.remove);
  const Arb k = times;
  return {.real = (Arb(1) + k) * near.real - k * far.real,
          .imaginary = (Arb(1) + k) * near.imaginary - k * far.imaginary};
}

Arb modulus(const Complex& z) { return oracle::sqrt(z.real * z.real + z.imaginary * z.imaginary); }

// Moments, and phi within its errors; and what bounds it from some point on.
TEST(Extrapolated, HasTheMomentsOfTheDifference) {
  oracle::Random random(81);
  for (int i = 0; i < oracle::cases() / 500; ++i) {
    const Case c = random_case(random);
    const Extrapolated law({.noise = c.noise, .rate = c.rate}, c.far, c.times);
    ASSERT_LE(law.times(), c.times);
    ASSERT_GE(law.least(), 0.5 - 1e-9);
    const double z = random.log_uniform(0.1, 40), deviation = std::sqrt(c.rate) / c.noise;
    const double reach = std::min(random.log_uniform(0.5, 6) / deviation, 300 * c.noise);
    constexpr std::size_t kPoints = 4;
    const double step = reach / kPoints;
    const TiltedLaw found = tilted_law(law, c.remove ? Direction::remove : Direction::add,
                                       {.tilt = z, .reach = reach * (1 + 1e-12), .digits = 35});
    const Complex whole = extrapolated_at(c, law.times(), z, 0);
    EXPECT_TRUE(oracle::encloses(found.log_moment, oracle::log(whole.real)))
        << i << ": " << found.log_moment.lower << " for " << oracle::log(whole.real).approximate();
    EXPECT_LE(width(found.log_moment), 1e-8);

    LogPhi phi = {.sum = std::vector<std::complex<double>>(kPoints + 1),
                  .error = std::vector<double>(kPoints + 1)};
    add_log_phi(found, 1, step, phi);
    for (std::size_t m = 1; m <= kPoints; ++m) {
      const double t = step * static_cast<double>(m);
      const Complex at = extrapolated_at(c, law.times(), z, t);
      // phi exp(i t centre) = at / whole; relative to phi it is off by exp(error) - 1 at most, and
      // by what computing this takes.
      const Arb real = phi.sum[m].real(),
                angle = Arb(phi.sum[m].imag()) + Arb(t) * Arb(found.centre);
      const Arb size = oracle::exp(real);
      const Complex off = {
          .real = size * Arb::apply(arb_cos, angle) - at.real / whole.real,
          .imaginary = size * Arb::apply(arb_sin, angle) - at.imaginary / whole.real};
      EXPECT_FALSE(modulus(off) > size * (oracle::expm1(Arb(phi.error[m])) + Arb(4 * kRoundoff)))
          << i << " at " << t;
      for (std::size_t n = 1; n <= m; ++n) {
        const double bound = log_decay(found, step * static_cast<double>(n));
        EXPECT_FALSE(oracle::log(modulus(at) / whole.real) > Arb(bound + 1e-12))
            << i << " at " << t;
      }
    }
  }
}

}  // namespace
}  // namespace ration
