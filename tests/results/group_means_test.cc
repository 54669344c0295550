#include "ration/results/run_records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ration::results {
namespace {

TEST(GroupMeans, MeansOfUpperEndsAreNeverBelowTheTruth) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> anywhere(0, 3);
  const Groups groups = {.of_person = {}, .labels = {"a", "b", "nobody"}};
  for (int trial = 0; trial < 50; ++trial) {
    Groups of = groups;
    std::vector<Bound> epsilons;
    long double sum[3] = {};
    int count[3] = {};
    for (int i = 0; i < 1000; ++i) {
      const double upper = anywhere(random);
      epsilons.push_back({.lower = 0, .upper = upper});
      of.of_person.push_back(static_cast<std::uint32_t>(random() % 2));
      for (const std::size_t g : {std::size_t{0}, std::size_t{1} + of.of_person.back()}) {
        sum[g] += upper;
        ++count[g];
      }
    }
    const std::vector<double> means = upper_means_of(epsilons, of);
    for (std::size_t g = 0; g < 3; ++g) {
      // Eleven more bits than a double: its error is below a rounding up.
      EXPECT_GE(means[g], sum[g] / count[g]);
      EXPECT_NEAR(means[g], static_cast<double>(sum[g] / count[g]), 1e-12);
    }
    EXPECT_TRUE(std::isnan(means[3]));
  }
}

}  // namespace
}  // namespace ration::results
