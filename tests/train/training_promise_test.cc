#include "ration/train/training_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/loss/gdp.h"
#include "tests/train/clinical_plan.h"

namespace ration::train {
namespace {

TEST(TrainingPromise, TheClinicalBudgetIsEpsilon2_751021) {
  const Promise promise = promise_of(clinical(), 100);
  ASSERT_TRUE(promise.budget);
  EXPECT_NEAR(promise.budget->upper, 2.751021, 1e-6);
  EXPECT_EQ(promise.epsilon, *promise.budget);
  EXPECT_TRUE(promise.guarantee.adaptive);
  EXPECT_GT(promise.worst_case.lower, promise.epsilon.upper);
}

TEST(TrainingPromise, BeforeTheFilterCanStartTheWorstCaseIsPromised) {
  const Promise promise = promise_of(clinical(), 20);
  EXPECT_EQ(promise.epsilon, promise.worst_case);
  EXPECT_LT(promise.epsilon.upper, promise.budget->lower);
}

TEST(TrainingPromise, WithoutFilterAndSamplingTheWorstCaseIsThatOfGaussianDp) {
  TrainingPlan plan = clinical();
  plan.filter = {};
  const Promise promise = promise_of(plan, 50);
  const Bound exact = gdp::epsilon({.mu = std::sqrt(50) / 10.614652581338738, .delta = 1e-5});
  EXPECT_NEAR(promise.epsilon.upper, exact.upper + kComputedEpsilon, 1e-11);
  EXPECT_GE(promise.epsilon.upper, exact.upper + kComputedEpsilon);
  EXPECT_FALSE(promise.budget);
}

TEST(TrainingPromise, BeyondEpsilon20NothingIsCalledCertified) {
  TrainingPlan plan = clinical();
  plan.filter = {};
  plan.step.noise = 1;
  EXPECT_FALSE(promise_of(plan, 100).guarantee.certified);
  EXPECT_TRUE(promise_of(plan, 1).guarantee.certified);
}

TEST(TrainingPromise, NobodysOwnEpsilonIsAboveIt) {
  TrainingPlan plan = clinical();
  Accounts accounts(2, Buckets::from(plan.step.noise));
  const std::vector<float> norms = {2, 0.1F};
  for (int k = 0; k < 60; ++k) accounts.record(plan.step, norms);
  const Promise promise = promise_of(plan, 60);
  const IndividualPrivacy everybody = everybody_of(accounts, plan, promise);
  EXPECT_EQ(everybody.epsilon[0].upper, promise.epsilon.upper) << "60 steps, and a budget of 50";
  EXPECT_LT(everybody.epsilon[1].upper, 0.2 * promise.epsilon.upper);
  EXPECT_EQ(everybody.guarantee.neighbours, promise.guarantee.neighbours);
}

}  // namespace
}  // namespace ration::train
