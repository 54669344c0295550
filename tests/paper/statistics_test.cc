#include "paper/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/refusal.h"

namespace ration::paper {
namespace {

// From scipy 1.11: stats.rankdata and stats.spearmanr.
const std::vector<double> kX = {2, 1, 2, 5, 4, 4}, kY = {10, 30, 20, 20, 50, 40};

TEST(Statistics, RanksOfEqualValuesAreAveraged) {
  EXPECT_EQ(ranks(kX), (std::vector<double>{2.5, 1, 2.5, 6, 4.5, 4.5}));
  EXPECT_EQ(ranks(kY), (std::vector<double>{1, 4, 2.5, 2.5, 6, 5}));
  EXPECT_TRUE(ranks({}).empty());
}

TEST(Statistics, RankCorrelationIsThatOfScipy) {
  EXPECT_NEAR(rank_correlation(kX, kY), 0.22390553775994954, 1e-15);
  EXPECT_NEAR(rank_correlation(kY, kX), 0.22390553775994954, 1e-15);
}

// Without ties it is 1 - 6 sum of d^2 / (n (n^2 - 1)), d the differences of ranks.
TEST(Statistics, RankCorrelationIsTheClosedFormWithoutTies) {
  const std::vector<double> x = {0.3, 0.1, 0.2, 0.5, 0.4}, y = {9, 8, 7, 10, 6};
  const double squares = 1 + 4 + 0 + 0 + 9;  // ranks 3 1 2 5 4 and 4 3 2 5 1
  EXPECT_NEAR(rank_correlation(x, y), 1 - 6 * squares / (5 * 24), 1e-15);
  EXPECT_EQ(rank_correlation(x, x), 1);
}

TEST(Statistics, EqualValuesHaveNoOrderToFollow) {
  EXPECT_EQ(rank_correlation(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3}), 0);
  EXPECT_EQ(rank_correlation(std::vector<double>{3, 2, 1}, std::vector<double>{7, 7, 7}), 0);
}

TEST(Statistics, ListsOfUnlikeLengthsAreRefused) {
  EXPECT_EQ(refusal([] {
              rank_correlation(kX, std::vector<double>{1, 2});
            }),
            "number of second values is 2: give as many as first ones");
}

// From numpy: percentile([3, 1, 4, 1, 5, 9, 2, 6], [2.5, 97.5]).
TEST(Statistics, AnIntervalIsBetweenThePercentilesOfNumpy) {
  const Estimate e = estimate_of(4, {3, 1, 4, 1, 5, 9, 2, 6});
  EXPECT_EQ(e.value, 4);
  EXPECT_EQ(e.low, 1);
  EXPECT_NEAR(e.high, 8.475, 1e-12);
  EXPECT_EQ(refusal([] { estimate_of(1, {}); }),
            "number of resamples is 0: give a whole number from 1");
}

TEST(Statistics, AResampleHasAsManyPeopleAndIsTheSameEveryTime) {
  const auto times = resample(1000, PublicRandom(1, 2, 3));
  EXPECT_EQ(std::accumulate(times.begin(), times.end(), 0U), 1000U);
  EXPECT_EQ(times, resample(1000, PublicRandom(1, 2, 3)));
  EXPECT_NE(times, resample(1000, PublicRandom(1, 2, 4)));
  // Who is left out: (1 - 1/n)^n of all, 0.368.
  const auto absent = std::count(times.begin(), times.end(), 0U);
  EXPECT_NEAR(static_cast<double>(absent), 368, 50);
}

Resampled<double> resampled_mean(const std::vector<double>& values, std::uint64_t stream) {
  Resampled<double> result = {
      .observed = mean(values, std::vector<std::uint32_t>(values.size(), 1)), .resamples = {}};
  for (std::uint64_t r = 0; r < 2000; ++r) {
    result.resamples.push_back(mean(values, resample(values.size(), PublicRandom(1, stream, r))));
  }
  return result;
}

std::vector<double> some_values(std::size_t count) {
  PublicRandom random(5, 1);
  std::vector<double> values(count);
  for (double& value : values) value = 3 + 2 * static_cast<double>(random.normal());
  return values;
}

// Of a mean of many it is the normal one: mean +- 1.96 deviation / sqrt(n).
TEST(Statistics, TheBootstrapIntervalOfAMeanIsTheNormalOne) {
  const std::vector<double> values = some_values(400);
  const Estimate e = estimate(resampled_mean(values, 7), [](double one) { return one; });
  double squares = 0;
  for (const double value : values) squares += (value - e.value) * (value - e.value);
  const double error = 1.96 * std::sqrt(squares) / 400;
  EXPECT_NEAR(e.low, e.value - error, 0.15 * error);
  EXPECT_NEAR(e.high, e.value + error, 0.15 * error);
}

// What moves for everybody by the same amount has no uncertainty, whoever they are.
TEST(Statistics, TheSameResampleComparesTheSamePeople) {
  const std::vector<double> before = some_values(100);
  std::vector<double> after = before;
  for (double& value : after) value += 0.25;
  for (std::uint64_t r = 0; r < 20; ++r) {
    const auto times = resample(100, PublicRandom(1, 9, r));
    EXPECT_NEAR(mean(after, times) - mean(before, times), 0.25, 1e-12);
  }
}

TEST(Statistics, AChangeWhoseIntervalHoldsZeroIsNone) {
  EXPECT_TRUE(is_above({.value = 1, .low = 0.1, .high = 2}, 0));
  EXPECT_FALSE(is_above({.value = 1, .low = -0.1, .high = 2}, 0));
  EXPECT_FALSE(is_below({.value = -1, .low = -2, .high = 0.1}, 0));
  EXPECT_TRUE(is_below({.value = -1, .low = -2, .high = -0.1}, 0));
}

}  // namespace
}  // namespace ration::paper
