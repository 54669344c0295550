#include "ration/loss/gdp.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cfenv>
#include <cmath>
#include <vector>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "ration/numeric/normal.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

// The promise of the header.
bool narrow(const Bound& b) {
  return width(b) <= 1e-10 * std::max(std::abs(b.lower), std::abs(b.upper)) || width(b) <= 1e-13;
}

// facts: computed to 30 digits.
struct MuRow {
  double epsilon, delta, mu;
};
class GdpReference : public testing::TestWithParam<MuRow> {};
TEST_P(GdpReference, MuIsTheKnownValue) {
  const auto [epsilon, delta, mu] = GetParam();
  const Bound found = gdp::mu({.epsilon = epsilon, .delta = delta});
  EXPECT_NEAR(found.upper, mu, 1e-14 * mu);
  EXPECT_TRUE(narrow(found));
}
INSTANTIATE_TEST_SUITE_P(Facts, GdpReference,
                         testing::Values(MuRow{1, 1e-5, 0.2680511232112942},
                                         MuRow{8, 1e-5, 1.666030597845718},
                                         MuRow{50, 1e-6, 6.385986778952409},
                                         MuRow{0.01, 1e-9, 0.002180984661044349},
                                         MuRow{1000, 1e-12, 38.25701234999586}));

struct Case {
  double epsilon, mu, delta;
};
// Over the full range, with extra weight where a = eps/mu - mu/2 is moderate and delta is a number
// one can print.
std::vector<Case> random_cases(unsigned seed, int count) {
  oracle::Random random(seed);
  std::vector<Case> cases;
  for (int i = 0; i < count; ++i) {
    const double mu = random.log_uniform(1e-8, 1e4);
    double epsilon = random.log_uniform(1e-10, 1e8);
    if (i % 2 == 0) epsilon = std::clamp(mu * (random.uniform(-9, 38) + mu / 2), 0.0, 1e8);
    if (i % 50 == 0) epsilon = 0;
    double delta = random.log_uniform(1e-300, 1);
    if (i % 3 == 0) delta = random.uniform(0, 1);
    if (i % 7 == 0) delta = 1 - random.log_uniform(1e-15, 0.5);
    cases.push_back({.epsilon = epsilon, .mu = mu, .delta = std::max(delta, 1e-300)});
  }
  return cases;
}

TEST(Gdp, DeltaEnclosesArb) {
  for (const auto& [epsilon, mu, delta] : random_cases(1, oracle::cases())) {
    const Bound found = gdp::delta({.epsilon = epsilon, .mu = mu});
    const Arb truth = oracle::gdp_delta(epsilon, mu);
    ASSERT_TRUE(oracle::encloses(found, truth)) << epsilon << " " << mu;
    ASSERT_TRUE(narrow(found)) << epsilon << " " << mu << ": " << width(found);
  }
}

TEST(Gdp, DeltaOfNegativeEpsilonEnclosesArb) {
  for (const auto& [epsilon, mu, delta] : random_cases(2, oracle::cases() / 10)) {
    const Bound found = gdp::delta({.epsilon = -epsilon, .mu = mu});
    ASSERT_TRUE(oracle::encloses(found, oracle::gdp_delta(-epsilon, mu))) << epsilon << " " << mu;
    ASSERT_TRUE(narrow(found));
  }
}

// delta(eps) falls, so the root is enclosed when delta(lower) >= delta >= delta(upper).
TEST(Gdp, EpsilonEnclosesTheRootOfArb) {
  for (const auto& [epsilon, mu, delta] : random_cases(3, oracle::cases())) {
    const Bound found = gdp::epsilon({.mu = mu, .delta = delta});
    ASSERT_TRUE(found.lower == 0 || !(oracle::gdp_delta(found.lower, mu) < Arb(delta)))
        << mu << " " << delta;
    ASSERT_FALSE(oracle::gdp_delta(found.upper, mu) > Arb(delta)) << mu << " " << delta;
    ASSERT_TRUE(narrow(found)) << mu << " " << delta << ": " << found.upper << " " << width(found);
  }
}

TEST(Gdp, MuEnclosesTheRootOfArb) {
  for (const auto& [epsilon, mu, delta] : random_cases(4, oracle::cases() / 4)) {
    const Bound found = gdp::mu({.epsilon = epsilon, .delta = delta});
    ASSERT_FALSE(oracle::gdp_delta(epsilon, found.lower) > Arb(delta)) << epsilon << " " << delta;
    ASSERT_FALSE(oracle::gdp_delta(epsilon, found.upper) < Arb(delta)) << epsilon << " " << delta;
    ASSERT_TRUE(narrow(found)) << epsilon << " " << delta << ": " << width(found);
  }
}

// The x with P(Z > x) = p to 60 digits: Newton's method from a double.
Arb tail_inverse(double p) {
  Arb x = midpoint(normal_tail_inverse(p));
  for (int i = 0; i < 4; ++i) {
    const Arb density = oracle::exp(Arb(-1) * x * x / 2) / oracle::sqrt(Arb(2) * oracle::pi());
    x = x + (oracle::normal_tail(x) - Arb(p)) / density;
    mag_zero(arb_radref(x.get()));  // an approximation, not an enclosure
  }
  return x;
}

TEST(Gdp, TradeoffAndAttackRatesEncloseArb) {
  oracle::Random random(5);
  for (int i = 0; i < oracle::cases() / 10; ++i) {
    const double mu = random.log_uniform(1e-8, 30), alpha = random.log_uniform(1e-300, 1);
    const Arb x = tail_inverse(alpha);
    const Bound rate = gdp::true_positive_rate({.mu = mu, .false_positive_rate = alpha});
    const Bound miss = gdp::tradeoff({.mu = mu, .false_positive_rate = alpha});
    ASSERT_TRUE(oracle::encloses(rate, oracle::normal_tail(x - Arb(mu)))) << mu << " " << alpha;
    ASSERT_TRUE(oracle::encloses(miss, oracle::normal_tail(Arb(mu) - x))) << mu << " " << alpha;
    ASSERT_TRUE(narrow(rate) && narrow(miss)) << mu << " " << alpha;
    ASSERT_TRUE(
        oracle::encloses(gdp::advantage(mu), Arb(1) - Arb(2) * oracle::normal_tail(Arb(mu) / 2)));
  }
}

TEST(Gdp, CompositionIsTheRootOfTheSumOfSquares) {
  const std::vector<Mu> mus = {3, 4, 12};
  const Bound total = gdp::compose(mus);
  EXPECT_TRUE(contains(total, 13));
  EXPECT_LT(width(total), 1e-13);
  EXPECT_EQ(gdp::compose({}), exactly(0));
}

TEST(Gdp, NothingReleasedCostsNothing) {
  EXPECT_EQ(gdp::delta({.epsilon = 0, .mu = 0}), exactly(0));
  EXPECT_EQ(gdp::epsilon({.mu = 0, .delta = 1e-300}), exactly(0));
}

TEST(Gdp, EpsilonIsExactlyZeroWhereDeltaCoversEverything) {
  EXPECT_EQ(gdp::epsilon({.mu = 1e-5, .delta = 0.1}), exactly(0));
  EXPECT_EQ(gdp::epsilon({.mu = 2, .delta = 0.7}), exactly(0));
  EXPECT_GT(gdp::epsilon({.mu = 2, .delta = 0.68}).lower, 0);
}

// Other libraries in the process may flush subnormal numbers to zero or round upward.
TEST(Gdp, AnotherFloatEnvironmentChangesNothing) {
  const Bound tiny = gdp::delta({.epsilon = 38, .mu = 1}),
              usual = gdp::epsilon({.mu = 1, .delta = 1e-5});
  std::fesetround(FE_UPWARD);
#ifdef __SSE__
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);
#endif
  const Bound flushed = gdp::delta({.epsilon = 38, .mu = 1});
  const Bound upward = gdp::epsilon({.mu = 1, .delta = 1e-5});
#ifdef __SSE__
  _mm_setcsr(saved);
#endif
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(flushed, tiny);
  EXPECT_EQ(upward, usual);
}

TEST(Gdp, DeltaOneIsFree) {
  EXPECT_EQ(gdp::epsilon({.mu = 5, .delta = 1}), exactly(0));
  EXPECT_TRUE(std::isinf(gdp::mu({.epsilon = 1, .delta = 1}).lower));
}

// Every instruction set that this machine has runs the kernels of its own.
TEST(Gdp, EveryInstructionSetEnclosesArb) {
  const auto cases = random_cases(6, std::min(oracle::cases(), 2000));
  std::vector<double> epsilon, mu, delta;
  for (const Case& c : cases) {
    epsilon.push_back(c.epsilon);
    mu.push_back(c.mu);
    delta.push_back(c.delta);
  }
  std::vector<Bound> deltas(cases.size()), epsilons(cases.size());
  const auto supported = hwy::SupportedTargets();
  for (auto rest = supported; rest != 0; rest &= rest - 1) {
    const auto target = rest & (~rest + 1);
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    gdp::deltas(epsilon, mu, deltas);
    gdp::epsilons(mu, delta, epsilons);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ASSERT_TRUE(oracle::encloses(deltas[i], oracle::gdp_delta(epsilon[i], mu[i])))
          << hwy::TargetName(target);
      ASSERT_FALSE(oracle::gdp_delta(epsilons[i].upper, mu[i]) > Arb(delta[i]))
          << hwy::TargetName(target);
      ASSERT_TRUE(narrow(deltas[i]) && narrow(epsilons[i])) << hwy::TargetName(target);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Lengths that do not fill a vector give the same answers as single values.
TEST(Gdp, BatchesEqualSingleValues) {
  for (std::size_t count = 0; count < 20; ++count) {
    const auto cases = random_cases(static_cast<unsigned>(count), static_cast<int>(count));
    std::vector<double> epsilon, mu, delta;
    for (const Case& c : cases) {
      epsilon.push_back(c.epsilon);
      mu.push_back(c.mu);
      delta.push_back(c.delta);
    }
    std::vector<Bound> out(count);
    gdp::deltas(epsilon, mu, out);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(out[i], gdp::delta({.epsilon = epsilon[i], .mu = mu[i]}));
    }
    gdp::epsilons(mu, delta, out);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(out[i], gdp::epsilon({.mu = mu[i], .delta = delta[i]}));
    }
  }
}

TEST(Gdp, BatchesRefuseBadValuesWithTheirPosition) {
  const std::vector<double> mu = {1, 1, std::nan("")}, delta = {0.1, 0.1, 0.1};
  std::vector<Bound> out(3);
  try {
    gdp::epsilons(mu, delta, out);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "mu at position 2 is nan: give 0 or a number from 1e-300 to 20000");
  }
  std::vector<Bound> shorter(2);
  EXPECT_THROW(gdp::epsilons(mu, delta, shorter), Error);
}

}  // namespace
}  // namespace ration
