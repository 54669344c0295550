// The filter that a run's settings ask for: its kind, its noise, and what fits into it.
#include "ration/train/filter_plan.h"

#include <gtest/gtest.h>

#include <limits>

#include "ration/compose/calibrate.h"
#include "ration/compose/compose.h"
#include "ration/control/renyi_currency.h"
#include "ration/control/tight_currency.h"
#include "tests/refusal.h"

namespace ration::train {
namespace {

// As in the configuration for Fashion-MNIST that is shipped.
const TrainingPlan kPlan = {
    .step = {.noise = 1, .clip = 1, .rate = 0.02}, .delta = 1e-5, .epochs = 14, .refresh = 100};

TrainingPlan settled(const FilterAsk& asked, TrainingPlan plan = kPlan) {
  settle(plan, asked);
  return plan;
}

// Steps of somebody at the clip bound, one by one.
std::uint64_t admitted_one_by_one(const FilterPlan& plan, const Step& step) {
  Filter filter(plan.currency, plan.budget);
  std::uint64_t steps = 0;
  while (filter.admit(step)) ++steps;
  return steps;
}

TEST(FilterPlan, WorstCaseStepsAreThoseOfTheAccountants) {
  const TrainingPlan plan = settled({.noise = 1.0777, .kind = "tight", .epsilon = 2.75});
  const auto fit = worst_case_steps(plan);
  ASSERT_TRUE(fit && fit->tight);
  EXPECT_EQ(*fit->tight, admitted_one_by_one(*plan.filter, plan.step));
  const TrainingPlan by_renyi = settled({.noise = 1.0777, .kind = "rdp", .epsilon = 2.75});
  EXPECT_EQ(fit->rdp, admitted_one_by_one(*by_renyi.filter, plan.step));
  EXPECT_EQ(fit->tight_accounting,
            calibrate_steps({.epsilon = 2.75, .delta = 1e-5}, {.noise = 1.0777, .rate = 0.02}));
  EXPECT_EQ(worst_case_steps(by_renyi)->tight, fit->tight);
  // What issue 17 asks for: at least 15% more steps.
  EXPECT_GE(static_cast<double>(*fit->tight), 1.15 * static_cast<double>(fit->rdp));
  EXPECT_LT(*fit->tight, fit->tight_accounting);
}

TEST(FilterPlan, WorstCaseStepsAreOfSampledStepsWithAnEpsilon) {
  EXPECT_FALSE(worst_case_steps(settled({.noise = 1})));
  EXPECT_FALSE(worst_case_steps(settled({.noise = 1, .mu = 1})));
  TrainingPlan everybody = kPlan;
  everybody.step.rate = 1;
  EXPECT_FALSE(worst_case_steps(settled({.noise = 5, .epsilon = 1}, everybody)));
  const auto fit = worst_case_steps(settled({.noise = 1.1, .kind = "rdp", .after_epochs = 5}));
  ASSERT_TRUE(fit && fit->tight);
  EXPECT_EQ(fit->rdp, 250u);
  EXPECT_GT(*fit->tight, 250u);
}

TEST(FilterPlan, TheKindByDefaultIsTheOneThatFitsMost) {
  for (const FilterAsk& asked :
       {FilterAsk{.noise = 1.0777, .epsilon = 2.75}, FilterAsk{.noise = 1.0777, .after_epochs = 10},
        FilterAsk{.privacy_epsilon = 2.75, .after_epochs = 10}}) {
    EXPECT_EQ(settled(asked).filter->currency->name(), "tight");
  }
  TrainingPlan everybody = kPlan;
  everybody.step.rate = 1;
  EXPECT_EQ(settled({.noise = 5, .epsilon = 1}, everybody).filter->currency->name(), "gdp");
  EXPECT_EQ(settled({.noise = 1, .of_samples = "rdp", .epsilon = 2}).filter->currency->name(),
            "rdp");
}

// It accounts for these epochs alone, and needs less noise for them than a Renyi filter.
TEST(FilterPlan, TheNoiseForAnEpsilonIsTheLeastThatTheTightFilterTakesForItsEpochs) {
  const FilterAsk asked = {.privacy_epsilon = 2.75, .kind = "tight", .after_epochs = 10};
  const TrainingPlan plan = settled(asked);
  const Filter filter(1, plan.filter->currency, plan.filter->budget);
  const double promised = filter.budget(0, accounted_delta(plan)).upper;
  EXPECT_LE(promised, 2.75);
  EXPECT_GE(promised, 2.75 * 0.999);
  EXPECT_EQ(worst_steps_in(*plan.filter, plan.step, 1'000'000), 500u);
  FilterAsk by_renyi = asked;
  by_renyi.kind = "rdp";
  EXPECT_LT(plan.step.noise, settled(by_renyi).step.noise);
  EXPECT_GT(compose(run_of(plan, 500), accounted_delta(plan)).epsilon.upper, 2.6);
}

TEST(FilterPlan, PricesThatWereMadeBeforeStayWhatTheyWere) {
  const TrainingPlan plan = settled({.noise = 1.0777, .kind = "tight", .epsilon = 2.75});
  // Of another version of the program, say.
  const CurrencyPtr before =
      tight_currency({.noise = 1.0777, .rate = 0.02}, Epsilon{2.9}, accounted_delta(plan));
  const TrainingPlan resumed = with_prices_of(plan, Filter(3, before, plan.filter->budget));
  EXPECT_EQ(resumed.filter->currency, before);
  EXPECT_FALSE(*resumed.filter->currency == *plan.filter->currency);
  EXPECT_FALSE(with_prices_of(kPlan, std::nullopt).filter);
}

TEST(FilterPlan, RefusesBudgetsThatNothingFitsInto) {
  EXPECT_NE(refusal([] {
              settled({.noise = 0.3, .kind = "tight", .epsilon = 0.1});
            }).find("is too small for one step at the clip bound"),
            std::string::npos);
  EXPECT_EQ(refusal([] { settled({.noise = 1, .kind = "tight"}); }),
            "[filter] has no budget: give epsilon, mu or after_epochs");
  EXPECT_EQ(refusal([] { settled({.noise = 1, .kind = "tight", .after_epochs = 0}); }),
            "filter.after_epochs is 0: give a whole number from 1");
}

}  // namespace
}  // namespace ration::train
