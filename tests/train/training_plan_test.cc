#include "ration/train/training_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/loss/gdp.h"
#include "tests/refusal.h"

namespace ration::train {
namespace {

// The clinical experiment: facts of the paper's authors, budget and eps computed in 30 digits.
TrainingPlan clinical() {
  const Step step = {.noise = 10.614652581338738, .clip = 0.7872438989061009};
  return {.step = step,
          .delta = 1e-5,
          .epochs = 100,
          .filter = FilterPlan{.kind = FilterKind::gdp,
                               .budget = StepsBudget{.step = step, .steps = 50}}};
}

TEST(TrainingPlan, NobodyIsLeftOutBeforeEpoch51OfTheClinicalSetUp) {
  EXPECT_EQ(first_filtered_step(clinical()), 50u);  // steps count from 0
}

TEST(TrainingPlan, TheClinicalBudgetIsEpsilon2_751021) {
  const Promise promise = promise_of(clinical(), 100);
  ASSERT_TRUE(promise.budget);
  EXPECT_NEAR(promise.budget->upper, 2.751021, 1e-6);
  EXPECT_EQ(promise.epsilon, *promise.budget);
  EXPECT_TRUE(promise.guarantee.adaptive);
  EXPECT_GT(promise.worst_case.lower, promise.epsilon.upper);
}

TEST(TrainingPlan, BeforeTheFilterCanStartTheWorstCaseIsPromised) {
  const Promise promise = promise_of(clinical(), 20);
  EXPECT_EQ(promise.epsilon, promise.worst_case);
  EXPECT_LT(promise.epsilon.upper, promise.budget->lower);
}

TEST(TrainingPlan, WithoutFilterAndSamplingTheWorstCaseIsThatOfGaussianDp) {
  TrainingPlan plan = clinical();
  plan.filter = {};
  const Promise promise = promise_of(plan, 50);
  const Bound exact = gdp::epsilon({.mu = std::sqrt(50) / 10.614652581338738, .delta = 1e-5});
  EXPECT_NEAR(promise.epsilon.upper, exact.upper + kComputedEpsilon, 1e-11);
  EXPECT_GE(promise.epsilon.upper, exact.upper + kComputedEpsilon);
  EXPECT_FALSE(promise.budget);
}

// facts.md: q = 0.005, sigma = 2, T = 10000, delta = 1e-6, remove direction.
TEST(TrainingPlan, AnEpochOfASampledRunDrawsEverybodyOnceOnAverage) {
  const TrainingPlan plan = {
      .step = {.noise = 2, .clip = 5, .rate = 0.005}, .delta = 1e-6, .epochs = 50};
  EXPECT_EQ(plan.steps_per_epoch(), 200u);
  EXPECT_EQ(plan.steps(), 10000u);
  EXPECT_NEAR(promise_of(plan, plan.steps()).epsilon.upper, 1.1501786607954 + kComputedEpsilon,
              1e-10);
}

TEST(TrainingPlan, AFilterWorthAllStepsLeavesNobodyOut) {
  TrainingPlan plan = clinical();
  plan.epochs = 50;
  EXPECT_EQ(first_filtered_step(plan), std::nullopt);
}

TEST(TrainingPlan, ARenyiFilterStartsWhereItsStepsSay) {
  const Step step = {.noise = 2, .clip = 1, .rate = 0.01};
  const TrainingPlan plan = {
      .step = step,
      .delta = 1e-5,
      .epochs = 5,
      .refresh = 100,
      .filter =
          FilterPlan{.kind = FilterKind::rdp, .budget = StepsBudget{.step = step, .steps = 300}}};
  EXPECT_EQ(first_filtered_step(plan), 300u);
}

TEST(TrainingPlan, ManyStepsAreCountedAtOnce) {
  const Step step = {.noise = 100, .clip = 1, .rate = 1e-8};
  const TrainingPlan plan = {
      .step = step,
      .delta = 1e-5,
      .epochs = 20,
      .filter =
          FilterPlan{.kind = FilterKind::rdp, .budget = StepsBudget{.step = step, .steps = 1.5e9}}};
  EXPECT_EQ(first_filtered_step(plan), 1'500'000'000u);
}

TEST(TrainingPlan, BeyondEpsilon20NothingIsCalledCertified) {
  TrainingPlan plan = clinical();
  plan.filter = {};
  plan.step.noise = 1;
  EXPECT_FALSE(promise_of(plan, 100).guarantee.certified);
  EXPECT_TRUE(promise_of(plan, 1).guarantee.certified);
}

TEST(TrainingPlan, RefusesWhatCannotBeRun) {
  TrainingPlan plan = clinical();
  plan.epochs = 0;
  EXPECT_TRUE(refusal([&] { check(plan); }).starts_with("epochs is 0: give a whole number from 1"));
  plan = clinical();
  plan.filter->kind = FilterKind::rdp;
  EXPECT_TRUE(refusal([&] { check(plan); }).starts_with("filter is rdp: give gdp"));
  plan = clinical();
  plan.step.rate = 0.1;
  EXPECT_TRUE(refusal([&] { check(plan); }).starts_with("rate is 0.1"));
  plan = clinical();
  plan.step.clip = 1e-12;
  EXPECT_TRUE(refusal([&] { check(plan); }).starts_with("clip is 1e-12"));
  plan = clinical();
  plan.delta = 1e-40;
  EXPECT_TRUE(refusal([&] { check(plan); }).starts_with("delta is 1e-40"));
  plan = clinical();
  plan.refresh = 0;
  EXPECT_TRUE(refusal([&] { check(plan); }).starts_with("refresh is 0"));
  plan = clinical();
  plan.refresh = {};
  EXPECT_TRUE(refusal([&] { check(plan); }).starts_with("norms are left out at rate 1: compute"));
  plan.step.rate = 0.1;
  EXPECT_TRUE(refusal([&] { check(plan); }).starts_with("filter has no norms to go by"));
  plan.filter = {};
  EXPECT_NO_THROW(check(plan));
}

}  // namespace
}  // namespace ration::train
