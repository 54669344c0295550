#include "ration/numeric/normal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/base/error.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

TEST(Mills, RatioEnclosesArb) {
  oracle::Random random(1);
  for (int i = 0; i < oracle::cases(); ++i) {
    const double x = i % 2 == 0 ? random.uniform(-1, 12) : random.log_uniform(1e-3, 1e4);
    const Bound m = mills_ratio(x);
    ASSERT_TRUE(oracle::encloses(m, oracle::mills_ratio(x))) << x;
    ASSERT_LT(width(m), 1.1e-14 * m.upper) << x;
  }
}

TEST(Mills, ErfcxEnclosesArb) {
  oracle::Random random(2);
  for (int i = 0; i < oracle::cases() / 10; ++i) {
    const double x = i % 2 == 0 ? random.uniform(-0.7, 8) : random.log_uniform(1e-3, 1e4);
    const Bound e = erfcx(x);
    ASSERT_TRUE(oracle::encloses(e, oracle::exp(Arb(x) * Arb(x)) * oracle::erfc(x))) << x;
    ASSERT_LT(width(e), 1e-13 * e.upper) << x;
  }
}

TEST(Normal, IntervalsEncloseArb) {
  oracle::Random random(7);
  for (int i = 0; i < oracle::cases() / 10; ++i) {
    const double a = random.uniform(-20, 20), mean = random.uniform(-3, 3);
    const double b = a + random.log_uniform(1e-9, 10);
    if (!(a < b)) continue;
    const Bound p = normal_between(a, b, exactly(mean));
    const Arb from = Arb(a) - Arb(mean), to = Arb(b) - Arb(mean);
    const Arb truth = from > Arb(0)
                          ? oracle::normal_tail(from) - oracle::normal_tail(to)
                          : oracle::normal_tail(Arb(0) - to) - oracle::normal_tail(Arb(0) - from);
    ASSERT_TRUE(oracle::encloses(p, truth)) << a << " " << b << " " << mean;
    ASSERT_LT(width(p), 5e-11 * p.upper) << a << " " << b << " " << mean;
  }
  EXPECT_TRUE(contains(normal_between(-INFINITY, INFINITY, exactly(0)), 1));
  EXPECT_TRUE(contains(normal_between(-INFINITY, 1, exactly(1)), 0.5));
}

TEST(Normal, TailAndItsLogarithmEncloseArb) {
  oracle::Random random(3);
  for (int i = 0; i < oracle::cases(); ++i) {
    const double x = i % 2 == 0 ? random.uniform(-12, 12) : random.uniform(-38, 300);
    const Arb truth = oracle::normal_tail(x);
    const Bound tail = normal_tail(x), log_tail = log_normal_tail(x);
    ASSERT_TRUE(oracle::encloses(tail, truth)) << x;
    ASSERT_TRUE(oracle::encloses(log_tail, oracle::log(truth))) << x;
    ASSERT_LT(width(log_tail), (1e-12 + 1e-15 * x * x) * std::abs(log_tail.lower) + 1e-300) << x;
  }
}

TEST(Normal, InverseEnclosesTheQuantile) {
  oracle::Random random(4);
  for (int i = 0; i < oracle::cases() / 10; ++i) {
    const double p = i % 2 == 0 ? random.log_uniform(1e-300, 1) : random.uniform(0, 1);
    const Bound x = normal_tail_inverse(p);
    ASSERT_TRUE(oracle::normal_tail(x.lower) >= Arb(p)) << p;
    ASSERT_TRUE(oracle::normal_tail(x.upper) <= Arb(p)) << p;
    ASSERT_LT(width(x), 1e-13 * std::abs(x.upper) + 1e-13) << p;
  }
}

TEST(Normal, OutOfRangeIsRefused) {
  EXPECT_THROW(mills_ratio(-1.5), Error);
  EXPECT_THROW(erfcx(std::nan("")), Error);
  EXPECT_THROW(normal_tail(1e200), Error);
  EXPECT_THROW(normal_tail_inverse(0), Error);
  EXPECT_THROW(normal_tail_inverse(1), Error);
}

}  // namespace
}  // namespace ration
