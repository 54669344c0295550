#include "ration/compose/fourier_table.h"
#include "ration/individual/used_mechanisms.h"

#include <gtest/gtest.h>

#include <vector>

#include "ration/base/error.h"
#include "ration/compose/accountants.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

// The eps of the unrounded norms lies between those of the two plans, with sampling and without.
TEST(AccountPlan, EnclosesTheEpsOfTheTrueNorms) {
  oracle::Random random(21);
  for (int i = 0; i < 12; ++i) {
    const int count = i % 2 == 0 ? 256 : 12;
    Accounts accounts(1,
                      Buckets(fourier::geometric_noises({.least = 1, .most = 64, .count = count})));
    Plan truth;
    for (int k = 0; k < 6; ++k) {
      const Step step = {.noise = random.log_uniform(1, 4),
                         .clip = random.log_uniform(0.1, 10),
                         .rate = random.coin(0.3)   ? 1
                                 : random.coin(0.5) ? 0.01
                                                    : 0.2};
      const std::vector<double> norm = {step.clip * random.log_uniform(0.05, 1)};
      const int steps = static_cast<int>(random.log_uniform(1, step.rate == 1.0 ? 4 : 40));
      for (int s = 0; s < steps; ++s) accounts.record(step, norm);
      truth.push_back(
          entry({.noise = step.noise * step.clip / norm[0], .rate = step.rate, .steps = steps}));
    }
    const Bound tight = contour::at_delta(truth, 1e-6).epsilon;
    const Bound above = contour::at_delta(plan_of(accounts, 0, Rounding::up), 1e-6).epsilon;
    const Bound below = contour::at_delta(plan_of(accounts, 0, Rounding::down), 1e-6).epsilon;
    EXPECT_GE(above.upper, tight.lower) << i;
    EXPECT_LE(below.lower, tight.upper) << i;
    EXPECT_LE(above.lower, (count == 256 ? 1.05 : 2) * tight.upper) << i;
  }
}

TEST(AccountPlan, RoundsEachBucketOutwardAndLeavesTheLastOut) {
  Accounts accounts(1, Buckets({2, 3, 4}));
  for (const double norm : {1.0, 1.0, 0.6, 0.1}) {
    accounts.record({.noise = 2, .rate = 0.5}, std::vector<double>{norm});
  }
  const Plan up = plan_of(accounts, 0, Rounding::up), down = plan_of(accounts, 0, Rounding::down);
  ASSERT_EQ(up.size(), 3u);
  ASSERT_EQ(down.size(), 2u);
  EXPECT_EQ(up[0].steps, 2);
  EXPECT_EQ(down[0].steps, 2);
  EXPECT_EQ(std::get<SubsampledGaussian>(up[2].mechanism).rate, 0.5);
  EXPECT_EQ(std::get<SubsampledGaussian>(up[2].mechanism).noise, 4);
  EXPECT_EQ(std::get<SubsampledGaussian>(down[0].mechanism).noise, 3);
}

TEST(AccountPlan, WithoutSamplingItIsOneGaussianWhoseNoiseEnclosesTheTruth) {
  oracle::Random random(22);
  for (int i = 0; i < 300; ++i) {
    Accounts accounts(1, Buckets::from(2));
    Arb sum = 0;
    for (int k = 0; k < 5; ++k) {
      const Step step = {.noise = random.log_uniform(0.05, 1e8)};
      const double norm = random.log_uniform(1e-3, 1);
      accounts.record(step, std::vector<double>{norm});
      sum = sum + Arb(norm) * Arb(norm) / (Arb(step.noise) * Arb(step.noise));
    }
    const Arb noise = Arb(1) / sqrt(sum);
    const Plan up = plan_of(accounts, 0, Rounding::up), down = plan_of(accounts, 0, Rounding::down);
    ASSERT_EQ(up.size(), 1u);
    ASSERT_TRUE(Arb(std::get<Gaussian>(up[0].mechanism).noise) <= noise);
    if (down.empty()) continue;
    ASSERT_TRUE(Arb(std::get<Gaussian>(down[0].mechanism).noise) >= noise);
  }
}

TEST(AccountPlan, OfNothingIsEmptyAndOfAFullAccountIsRefused) {
  Accounts accounts(1, Buckets::from(2));
  EXPECT_TRUE(plan_of(accounts, 0, Rounding::up).empty());
  EXPECT_TRUE(plan_of(accounts, 0, Rounding::down).empty());
  accounts.record({.noise = 1e-4}, std::vector<double>{1});
  EXPECT_THROW(plan_of(accounts, 0, Rounding::up), Error);
  EXPECT_EQ(plan_of(accounts, 0, Rounding::down).size(), 1u);
  EXPECT_THROW(plan_of(accounts, 1, Rounding::up), Error);
}

}  // namespace
}  // namespace ration
