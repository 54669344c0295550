#include "ration/control/gdp_filter.h"

#include <gtest/gtest.h>

#include <string>

#include "ration/base/error.h"
#include "ration/control/filter_kind.h"
#include "ration/control/individual_gdp_filter.h"
#include "tests/refusal.h"

namespace ration {
namespace {

std::uint64_t steps_admitted(GdpFilter filter, const Step& step) {
  while (filter.state().steps < 100'000 && filter.admit(step)) {
  }
  return filter.state().steps;
}

// facts.md, "Largest k at sigma=100, delta=1e-5", column GDP.
TEST(GdpFilter, AdmitsTheLargestNumberOfStepsOfTheReferenceTable) {
  struct Row {
    double epsilon;
    std::uint64_t steps;
  };
  for (const Row& row : {Row{0.1, 10}, Row{0.2, 37}, Row{0.3, 79}, Row{0.5, 202}, Row{0.8, 478},
                         Row{1.0, 718}, Row{2.0, 2515}, Row{5.0, 12571}}) {
    const GdpFilter filter(EpsilonBudget{.epsilon = row.epsilon, .delta = 1e-5});
    EXPECT_EQ(steps_admitted(filter, {.noise = 100}), row.steps) << row.epsilon;
  }
}

TEST(IndividualGdpFilter, AdmitsStep478AndHaltsStep479AtEps0_8) {
  IndividualGdpFilter filter(1, EpsilonBudget{.epsilon = 0.8, .delta = 1e-5});
  const std::vector<double> norms = {1};
  std::vector<std::uint8_t> mask(1);
  for (int step = 1; step <= 478; ++step) {
    filter.admit({.noise = 100}, norms, mask);
    ASSERT_EQ(mask[0], 1) << step;
  }
  filter.admit({.noise = 100}, norms, mask);
  EXPECT_EQ(mask[0], 0);
}

TEST(GdpFilter, SoManyWorstCaseStepsAreExactlySoMany) {
  for (const double noise : {0.7, 1.0, 10.614652581338738, 100.0, 1e8}) {
    const Step step = {.noise = noise};
    const GdpFilter filter(StepsBudget{.step = step, .steps = 50});
    EXPECT_EQ(steps_admitted(filter, step), 50u) << noise;
  }
}

TEST(GdpFilter, ABudgetThatIsUsedUpExactlyAdmitsTheLastStep) {
  EXPECT_EQ(steps_admitted(GdpFilter(MuBudget{2}), {.noise = 1}), 4u);
  EXPECT_EQ(steps_admitted(GdpFilter(MuBudget{0.5}), {.noise = 16}), 64u);
  GdpFilter filter(MuBudget{5});
  EXPECT_TRUE(filter.admit(Mu{3}));
  EXPECT_FALSE(filter.admit(Mu{4.0000001}));
  EXPECT_TRUE(filter.admit(Mu{4}));
  EXPECT_FALSE(filter.admit(Mu{1e-300}));
  EXPECT_TRUE(filter.admit(Mu{0}));
  EXPECT_DOUBLE_EQ(filter.spent().upper, 5);
  EXPECT_GE(filter.spent().upper, 5);
  EXPECT_TRUE(filter.guarantee().adaptive);
}

TEST(GdpFilter, AHaltedStepCostsNothingAndASmallerOneIsAdmitted) {
  GdpFilter filter(MuBudget{1});
  EXPECT_FALSE(filter.admit(Step{.noise = 0.5}));
  EXPECT_EQ(filter.state().spent, 0u);
  EXPECT_TRUE(filter.admit(Step{.noise = 1}));
}

TEST(GdpFilter, AChargeThatStoppedCountingFitsIntoNoBudget) {
  GdpFilter filter(GdpFilter::State{.budget = kLargestBudget});
  EXPECT_FALSE(filter.admit(Step{.noise = 1e-4}));
  EXPECT_FALSE(filter.admit(Mu{20000}));
}

TEST(GdpFilter, RefusesWithReasons) {
  GdpFilter filter(MuBudget{1});
  const std::string sampled =
      refusal([&] { filter.admit(Step{.noise = 1, .clip = 1, .rate = 0.5}); });
  EXPECT_NE(sampled.find("rate is 0.5: give 1, or use a Renyi filter"), std::string::npos);
  EXPECT_EQ(refusal([] { GdpFilter(MuBudget{200}); }), "budget mu is 200: give at most 127.9");
  EXPECT_NE(refusal([] { GdpFilter(EpsilonBudget{.epsilon = 1, .delta = 1}); }), "accepted");
  EXPECT_NE(refusal([] { GdpFilter(StepsBudget{.step = {.noise = 1}, .steps = 1e15}); }),
            "accepted");
  EXPECT_NE(refusal([] { GdpFilter(GdpFilter::State{.budget = 3, .spent = 4}); }), "accepted");
}

TEST(FilterKind, APldFilterIsRefusedWithTheReason) {
  EXPECT_EQ(filter_kind("gdp"), FilterKind::gdp);
  EXPECT_EQ(filter_kind("rdp"), FilterKind::rdp);
  const std::string reason = refusal([] { filter_kind("pld"); });
  EXPECT_NE(reason.find("chosen adaptively may not be composed in general"), std::string::npos);
  EXPECT_EQ(refusal([] { filter_kind("contour"); }), "filter is contour: give gdp or rdp");
}

}  // namespace
}  // namespace ration
