#include "ration/individual/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "ration/base/error.h"

namespace ration {
namespace {

TEST(Shares, AreReachedAndNoSmallerValueReachesThem) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> value(0, 20);  // with ties
  for (std::size_t people = 1; people < 150; ++people) {
    std::vector<Bound> epsilons;
    for (std::size_t i = 0; i < people; ++i) {
      const double epsilon = value(random);
      epsilons.push_back({.lower = epsilon / 2, .upper = epsilon});
    }
    for (const unsigned percent : {1u, 5u, 25u, 50u, 75u, 95u, 99u, 100u}) {
      const Bound spent = spent_by(percent, epsilons);
      const auto within = [&](double most) {
        return 100 * static_cast<std::size_t>(
                         std::count_if(epsilons.begin(), epsilons.end(),
                                       [&](const Bound& e) { return e.upper <= most; }));
      };
      EXPECT_GE(within(spent.upper), percent * people);
      EXPECT_LT(within(spent.upper - 0.5), percent * people);
      EXPECT_EQ(spent.lower, spent.upper / 2);
    }
  }
}

TEST(Shares, OfFewPeopleAreThoseOfTheGreatest) {
  std::vector<Bound> epsilons;
  for (int i = 1; i <= 10; ++i) epsilons.push_back(exactly(i));
  EXPECT_EQ(spent_by(95, epsilons).upper, 10);  // interpolated: 9.55, which one in ten exceeds
  EXPECT_EQ(spent_by(0, epsilons).upper, 1);
  epsilons.push_back({.lower = 3, .upper = std::numeric_limits<double>::infinity()});
  EXPECT_EQ(spent_by(100, epsilons).upper, std::numeric_limits<double>::infinity());
  EXPECT_THROW(spent_by(95, {}), Error);
  EXPECT_THROW(spent_by(101, epsilons), Error);
}

// One definition: the page, the summary and the terminal all say what spent_by() says.
TEST(Quantiles, AreSharesOfThePeople) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> anywhere(0, 3);
  for (std::size_t people = 1; people < 60; ++people) {
    std::vector<Bound> epsilons;
    std::vector<std::uint32_t> one_group(people, 0);
    for (std::size_t i = 0; i < people; ++i) {
      const double lower = anywhere(random);
      epsilons.push_back({.lower = lower, .upper = lower + anywhere(random)});
    }
    const Quantiles all = quantiles_of(epsilons);
    for (std::size_t i = 0; i < kPercents.size(); ++i) {
      EXPECT_EQ(all[i], spent_by(kPercents[i], epsilons)) << quantile_name(i);
    }
    EXPECT_EQ(quantiles_of(epsilons, one_group, 1).front().quantiles, all);
    EXPECT_TRUE(can_be_quantiles(all, epsilons));
  }
}

TEST(Quantiles, OfAnEvenNumberHaveAMedianThatSomebodyHas) {
  const std::vector<Bound> two = {exactly(1), exactly(3)};
  EXPECT_EQ(quantiles_of(two)[3], exactly(1));
  EXPECT_EQ(quantile_name(3), "0.5");
  EXPECT_EQ(quantile_name(1), "0.05");
  EXPECT_EQ(quantile_name(6), "1");
}

TEST(Quantiles, ThatWereInterpolatedAreRecognisedAndOthersAreNot) {
  const std::vector<Bound> two = {exactly(1), exactly(3)};
  Quantiles given = {exactly(1),   exactly(1.1), exactly(1.5), exactly(2),
                     exactly(2.5), exactly(2.9), exactly(3)};
  EXPECT_TRUE(can_be_quantiles(given, two));
  given[3] = exactly(3.1);
  EXPECT_FALSE(can_be_quantiles(given, two));
  given[3] = exactly(2);
  given[0] = exactly(1.01);  // the least is somebody's
  EXPECT_FALSE(can_be_quantiles(given, two));
  given[0] = exactly(1);
  given[6] = exactly(2.9);
  EXPECT_FALSE(can_be_quantiles(given, two));
  EXPECT_FALSE(can_be_quantiles(given, {}));
}

}  // namespace
}  // namespace ration
