#include "ration/train/training_plan.h"

#include <gtest/gtest.h>

#include "tests/refusal.h"
#include "tests/train/clinical_plan.h"

namespace ration::train {
namespace {

TEST(TrainingPlan, NobodyIsLeftOutBeforeEpoch51OfTheClinicalSetUp) {
  EXPECT_EQ(first_filtered_step(clinical()), 50u);  // steps count from 0
}

// Computed in 30 digits: q = 0.005, sigma = 2, T = 10000, delta = 1e-6, remove direction.
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
      .filter = FilterPlan{.currency = currency_named("rdp"),
                           .budget = StepsBudget{.step = step, .steps = 300}}};
  EXPECT_EQ(first_filtered_step(plan), 300u);
}

TEST(TrainingPlan, ManyStepsAreCountedAtOnce) {
  const Step step = {.noise = 100, .clip = 1, .rate = 1e-8};
  const TrainingPlan plan = {
      .step = step,
      .delta = 1e-5,
      .epochs = 20,
      .filter = FilterPlan{.currency = currency_named("rdp"),
                           .budget = StepsBudget{.step = step, .steps = 1.5e9}}};
  EXPECT_EQ(first_filtered_step(plan), 1'500'000'000u);
}

TEST(TrainingPlan, RefusesWhatCannotBeRun) {
  TrainingPlan plan = clinical();
  plan.epochs = 0;
  EXPECT_TRUE(refusal([&] { check(plan); }).starts_with("epochs is 0: give a whole number from 1"));
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
