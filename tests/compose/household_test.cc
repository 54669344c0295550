#include "ration/compose/household.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/loss/gdp.h"
#include "tests/refusal.h"

namespace ration {
namespace {

Plan gaussian(double noise, double steps = 1) {
  return {entry({.noise = noise, .rate = 1, .steps = steps})};
}
Plan sampled() { return {entry({.noise = 2, .rate = 0.005, .steps = 1000})}; }

// tests/peers/household.py, 40 digits.
struct Row {
  double mu;
  int people;
  double exact, chained;
};
constexpr Row kRows[] = {{0.2, 2, 1.55498169153, 1.56349623518},
                         {0.2, 4, 3.38693318616, 3.47975490537},
                         {0.2, 10, 9.99725614643, 11.5808922939},
                         {1, 2, 9.99725614643, 11.0486049198},
                         {1, 4, 24.3816108831, 33.8290980395}};

TEST(Household, HasKMuUnderGaussianDp) {
  for (const Row& row : kRows) {
    const Privacy found = compose_household(gaussian(1 / row.mu), 1e-5, row.people);
    EXPECT_NEAR(found.epsilon.upper, row.exact, 1e-10 * row.exact);
    EXPECT_LT(width(found.epsilon), 1e-9);
    EXPECT_EQ(found.method, Method::gdp);
    EXPECT_TRUE(found.guarantee.certified);
    EXPECT_NE(found.guarantee.neighbours.find(std::to_string(row.people)), std::string::npos);
  }
}

TEST(Household, TheChainIsAnUpperBoundAndIsWhatItIsSaidToBe) {
  for (const Row& row : kRows) {
    const Privacy found =
        compose_household(gaussian(1 / row.mu), 1e-5, row.people, {.method = Method::contour});
    EXPECT_GE(found.epsilon.upper, row.exact);
    EXPECT_GE(found.epsilon.upper, row.chained * (1 - 1e-11));
    EXPECT_LT(found.epsilon.upper, row.chained * (1 + 1e-6));
    EXPECT_LT(found.epsilon.lower, row.exact);
  }
}

TEST(Household, OfOneIsOnePerson) {
  EXPECT_EQ(compose_household(sampled(), 1e-6, 1).epsilon, compose(sampled(), 1e-6).epsilon);
  EXPECT_EQ(delta_at_household(sampled(), 0.5, 1).delta, delta_at(sampled(), 0.5).delta);
}

TEST(Household, EpsilonAndDeltaOfTheChainAgree) {
  for (const int people : {2, 3, 8}) {
    const Privacy at_delta = compose_household(sampled(), 1e-6, people);
    EXPECT_GT(at_delta.epsilon.upper, compose(sampled(), 1e-6).epsilon.upper);
    const Privacy at_epsilon = delta_at_household(sampled(), at_delta.epsilon.upper, people);
    EXPECT_LE(at_epsilon.delta.upper, 1e-6 * (1 + 1e-9));
    EXPECT_GT(at_epsilon.delta.upper, 1e-6 * (1 - 1e-4));
    EXPECT_LE(at_epsilon.delta.lower, at_epsilon.delta.upper);
  }
}

// One step, by hand: (eps, delta) for one is (2 eps, (1 + e^eps) delta) for two.
TEST(Household, OfTwoByHand) {
  const Plan laplace = {{Laplace{.noise = 1}, 1}};
  const Privacy found = delta_at_household(laplace, 1, 2);
  const double one = 1 - std::exp((0.5 - 1) / 2);  // Laplace: delta(eps) = 1 - e^((eps - 1)/2)
  EXPECT_GE(found.delta.upper, one * (1 + std::exp(0.5)) * (1 - 1e-12));
  EXPECT_LT(found.delta.upper, one * (1 + std::exp(0.5)) + 0.01);
  EXPECT_LE(chain_of_neighbours(0, 1000), 1000 + 1e-9);
  EXPECT_GE(chain_of_neighbours(0, 1000), 1000);
  EXPECT_EQ(chain_of_neighbours(1e8, 2), std::numeric_limits<double>::infinity());
}

TEST(Household, IsFrom1To1000) {
  for (const int people : {0, -1, 1001}) {
    EXPECT_EQ(refusal([&] { compose_household(gaussian(1), 1e-5, people); }),
              "household is " + std::to_string(people) + ": give a whole number from 1 to 1000");
  }
}

TEST(Household, GrowsWithItsPeopleAndAtDeltaOneIsFree) {
  double before = 0;
  for (int people = 1; people <= 6; ++people) {
    const double epsilon = compose_household(sampled(), 1e-6, people).epsilon.upper;
    EXPECT_GT(epsilon, before);
    before = epsilon;
  }
  EXPECT_EQ(compose_household(sampled(), 1, 5).epsilon.upper, 0);
}

}  // namespace
}  // namespace ration
