#include "ration/control/spent_epsilons.h"

#include <gtest/gtest.h>

#include "ration/compose/account.h"
#include "ration/loss/gdp.h"

namespace ration {
namespace {

constexpr double kDelta = 1e-5;
const std::vector<double> kNorms = {1, 0.5, 0, 2};

template <class Filter>
void take(Filter& filter, const Step& step, int times) {
  std::vector<std::uint8_t> mask(kNorms.size());
  for (int k = 0; k < times; ++k) filter.admit(step, std::span(kNorms), mask);
}

TEST(SpentEpsilons, OfGdpAreThoseOfTheSumOfSquares) {
  const Step step = {.noise = 10};
  IndividualGdpFilter filter(kNorms.size(), MuBudget{5});
  take(filter, step, 100);
  const auto spent = spent_epsilons(filter, kDelta);
  const std::vector<double> mus = {1, 0.5, 0, 1};  // 100 steps at norm / 10, clipped to 1
  for (std::size_t i = 0; i < mus.size(); ++i) {
    const Bound truth = gdp::epsilon({.mu = mus[i], .delta = kDelta});
    EXPECT_GE(spent[i].upper, truth.lower);  // charges are rounded up
    EXPECT_NEAR(spent[i].upper, truth.upper, 1e-9);
    EXPECT_EQ(spent[i], gdp::epsilons(std::vector{filter.spent(i)}, kDelta)[0]);
  }
}

TEST(SpentEpsilons, OfRenyiLieAboveTheTightOnes) {
  const Step step = {.noise = 1, .rate = 0.01};
  IndividualRenyiFilter filter(kNorms.size(), default_orders(),
                               StepsBudget{.step = step, .steps = 500});
  take(filter, step, 500);
  const auto spent = spent_epsilons(filter, kDelta);
  const auto tight = [&](double noise) {
    return at_delta({{SubsampledGaussian{.noise = noise, .rate = 0.01}, 500}}, kDelta).epsilon;
  };
  EXPECT_GE(spent[0].upper, tight(1).lower);
  EXPECT_GE(spent[1].upper, tight(2).lower);
  EXPECT_LE(spent[0].upper, 1.5 * tight(1).upper);
  EXPECT_EQ(spent[2].upper, 0);
  EXPECT_EQ(spent[3], spent[0]);
}

}  // namespace
}  // namespace ration
