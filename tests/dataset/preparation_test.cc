#include "ration/dataset/preparation.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "ration/base/error.h"
#include "ration/dataset/public_random.h"
#include "tests/refusal.h"

namespace ration {
namespace {

TEST(Standardise, TakesOnePairForAllColumnsOrOneForEach) {
  Table table{.rows = 2, .columns = 2, .values = {1, 2, 3, 4}};
  standardise(table, {.mean = {1, 2}, .scale = {2}}, "f");
  EXPECT_EQ(table.values, (std::vector<float>{0, 0, 1, 1}));
}

TEST(Standardise, RefusesOtherLengthsScalesAndResults) {
  const auto refused = [](const Standardisation& by) {
    Table table{.rows = 1, .columns = 3, .values = {1, 2, 3}};
    return refusal([&] { standardise(table, by, "f"); });
  };
  EXPECT_EQ(refused({.mean = {1, 2}, .scale = {1}}),
            "mean is 2 numbers long: give one number, or one for each of the 3 columns");
  EXPECT_EQ(refused({.mean = {}, .scale = {1}}),
            "mean is 0 numbers long: give one number, or one for each of the 3 columns");
  EXPECT_EQ(refused({.mean = {0}, .scale = {0}}), "scale is 0: give numbers above 0");
  EXPECT_EQ(refused({.mean = {0}, .scale = {-1}}), "scale is -1: give numbers above 0");
  EXPECT_EQ(refused({.mean = {std::numeric_limits<double>::infinity()}, .scale = {1}}),
            "mean is inf: give finite numbers");
  EXPECT_EQ(refused({.mean = {0}, .scale = {1, 1e-300, 1}}),
            "f, standardised, row 0 column 1 (from 0) is infinite, no number or beyond float32: "
            "give finite numbers");
}

// The numbers of Vigna's reference implementation of SplitMix64 from state 0.
TEST(PublicRandom, IsSplitMix64) {
  PublicRandom random(0, 0);
  for (const std::uint64_t expected :
       {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u, 0x06c45d188009454fu})
    EXPECT_EQ(random.next(), expected);
}

TEST(Split, IsTheSameOnEveryMachine) {
  EXPECT_EQ(test_people(20, {.test_fraction = 0.25, .seed = 1}),
            (std::vector<std::size_t>{1, 2, 10, 18, 19}));
}

TEST(Split, PartsEverybodyOnceInOrder) {
  EXPECT_TRUE(rc::check("a split", [] {
    const auto people = *rc::gen::inRange<std::size_t>(2, 50);
    const auto percent = *rc::gen::inRange(1, 100);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    People train{
        .features = {.rows = people, .columns = 2, .values = std::vector<float>(2 * people)},
        .labels = {.names = {"a", "b"}, .values = std::vector<std::uint16_t>(people)}};
    std::iota(train.features.values.begin(), train.features.values.end(), 0.0f);
    const auto who = test_people(people, {.test_fraction = percent / 100.0, .seed = seed});
    const auto wanted =
        static_cast<std::size_t>(std::lround(percent / 100.0 * static_cast<double>(people)));
    RC_ASSERT(who.size() == std::clamp<std::size_t>(wanted, 1, people - 1));
    const People test = take_out(train, who);
    RC_ASSERT(train.count() + test.count() == people);
    RC_ASSERT(train.labels.records() == train.count());
    for (std::size_t i = 0, taken = 0; i < people; ++i) {
      const bool is_test = taken < who.size() && who[taken] == i;
      const auto row = is_test ? test.features.row(taken) : train.features.row(i - taken);
      RC_ASSERT(row[0] == static_cast<float>(2 * i) && row[1] == static_cast<float>(2 * i + 1));
      taken += is_test ? 1 : 0;
    }
  }));
}

TEST(Split, EverybodyIsTakenEquallyOften) {
  std::vector<int> often(10);
  for (std::uint64_t seed = 0; seed < 10'000; ++seed)
    for (const std::size_t i : test_people(10, {.test_fraction = 0.3, .seed = seed})) ++often[i];
  for (const int count : often) EXPECT_NEAR(count, 3'000, 5 * 45.8);  // five standard deviations
}

TEST(Split, RefusesFractionsOutsideAndOnePerson) {
  for (const double bad : {0.0, 1.0, -0.5, std::nan("")})
    EXPECT_THROW(test_people(10, {.test_fraction = bad}), Error);
  EXPECT_THROW(test_people(1, {.test_fraction = 0.5}), Error);
}

TEST(RandomSubset, TakesEveryChoiceEquallyOften) {
  std::map<std::vector<std::size_t>, int> times;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) ++times[random_subset(2, 5, {seed, 1})];
  EXPECT_EQ(times.size(), 10U);
  for (const auto& [choice, count] : times) EXPECT_NEAR(count, 1000, 5 * 30);
}

TEST(RandomSubset, TakesAllIfThereAreNoMore) {
  EXPECT_EQ(random_subset(7, 3, {1, 1}), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(random_subset(0, 3, {1, 1}).empty());
}

}  // namespace
}  // namespace ration
