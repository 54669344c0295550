#include "ration/loss/rdp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/moment.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

SubsampledGaussian mechanism(const oracle::MomentCase& c) {
  return {.noise = c.noise, .rate = c.rate};
}
double relative_width(const Bound& b) { return width(b) / b.upper; }

TEST(Rdp, GaussianIsOrderOverTwiceTheVariance) {
  const Bound d = rdp::divergence(Gaussian{.noise = 4}, 8);
  EXPECT_TRUE(contains(d, 0.25));
  EXPECT_LT(relative_width(d), 1e-14);
}

// A published series stops early here and returns a negative number.
TEST(Rdp, LargeNoiseAtAFractionalOrderIsPositive) {
  const Bound d = rdp::divergence(SubsampledGaussian{.noise = 100, .rate = 0.5}, 45.5);
  EXPECT_GT(d.lower, 0.000569);
  EXPECT_LT(d.upper, 0.00057);
}

TEST(Rdp, OrderTwoIsTheClosedForm) {
  for (const double q : {1e-7, 1e-3, 0.5, 0.999}) {
    for (const double s : {0.5, 1.0, 30.0, 1e4}) {
      const Bound d =
          rdp::divergence(SubsampledGaussian{.noise = s, .rate = q}, 2, Direction::remove);
      const Arb truth = oracle::log1p(Arb(q) * Arb(q) * oracle::expm1(Arb(1) / (Arb(s) * Arb(s))));
      EXPECT_TRUE(oracle::encloses(d, truth)) << q << " " << s;
      EXPECT_LT(relative_width(d), 1e-11) << q << " " << s;
    }
  }
}

TEST(Rdp, WholeOrdersEncloseTheBinomialSum) {
  oracle::Random random(1);
  for (int i = 0; i < oracle::cases() / 50; ++i) {
    const oracle::MomentCase c = {.noise = random.log_uniform(0.1, 1e4),
                                  .rate = random.log_uniform(1e-9, 1)};
    const int n = static_cast<int>(random.log_uniform(2, 300));
    const Bound k = rdp::log_moment(mechanism(c), n - 1, Direction::remove);
    EXPECT_TRUE(oracle::encloses(k, oracle::log(oracle::whole_moment(c, n))))
        << c.noise << " " << c.rate << " " << n;
    EXPECT_LT(relative_width(k), 1e-10) << c.noise << " " << c.rate << " " << n;
  }
}

TEST(Rdp, RealOrdersEncloseArbsIntegralInBothDirections) {
  oracle::Random random(2);
  for (int i = 0; i < oracle::cases() / 500; ++i) {
    const oracle::MomentCase c = {.noise = random.log_uniform(0.3, 1e3),
                                  .rate = random.log_uniform(1e-6, 1)};
    const double z = random.log_uniform(1e-3, 60);
    const bool remove = i % 2 == 0;
    const Bound k = rdp::log_moment(mechanism(c), z, remove ? Direction::remove : Direction::add);
    EXPECT_TRUE(oracle::encloses(k, oracle::log(oracle::moment(c, z, remove))))
        << c.noise << " " << c.rate << " " << z << (remove ? " remove" : " add");
    EXPECT_LT(relative_width(k), 1e-9) << c.noise << " " << c.rate << " " << z;
  }
}

TEST(Rdp, OrderOneHundredThousandIsCertified) {
  // Far beyond the phase transition the sampled component rules: K = log(q^a e^{a(a-1)/2s^2}) up
  // to terms exp(-1e5) smaller.
  const double a = 1e5, s = 2, q = 0.01;
  const Bound d = rdp::divergence(SubsampledGaussian{.noise = s, .rate = q}, a, Direction::remove);
  const Arb truth =
      (Arb(a) * oracle::log(q) + Arb(a) * Arb(a - 1) / (Arb(2) * Arb(s) * Arb(s))) / Arb(a - 1);
  EXPECT_TRUE(oracle::encloses(d, truth));
  EXPECT_LT(relative_width(d), 1e-12);
}

TEST(Rdp, EstimateLiesWhereTheBoundIs) {
  oracle::Random random(3);
  for (int i = 0; i < oracle::cases() / 50; ++i) {
    const Mechanism m = SubsampledGaussian{.noise = random.log_uniform(0.2, 1e5),
                                           .rate = random.log_uniform(1e-9, 1)};
    const double z = random.log_uniform(1e-5, 1e5);
    const Direction direction = i % 2 == 0 ? Direction::remove : Direction::add;
    const Bound k = rdp::log_moment(m, z, direction);
    EXPECT_NEAR(rdp::log_moment_estimate(m, z, direction), midpoint(k), 1e-8 * k.upper);
    EXPECT_LT(relative_width(k), 1e-8);
  }
}

// Mironov, Talwar, Zhang (2019), theorem 5: what lets the search look at one direction only.
TEST(Rdp, RemoveIsNeverTheSmallerDirection) {
  oracle::Random random(4);
  for (int i = 0; i < oracle::cases() / 100; ++i) {
    const Mechanism m = SubsampledGaussian{.noise = random.log_uniform(0.2, 1e3),
                                           .rate = random.log_uniform(1e-6, 1)};
    const double z = random.log_uniform(1e-3, 1e4);
    EXPECT_GE(rdp::log_moment(m, z, Direction::remove).upper,
              rdp::log_moment(m, z, Direction::add).lower);
  }
}

}  // namespace
}  // namespace ration
