#include "ration/report/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace ration::report {
namespace {

TEST(Bins, CountEverybodyBetweenTheEdgesOfTheirBin) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> spread(0, 3.7);
  std::vector<Bound> epsilons;
  for (int i = 0; i < 20000; ++i) epsilons.push_back(exactly(spread(random)));
  const Bins bins = bins_of(epsilons, {.edge = 3.7, .below = 60, .bins = 61});
  for (std::size_t b = 0; b < 61; ++b) {
    std::uint64_t between = 0;
    for (const Bound& epsilon : epsilons) {
      between += epsilon.upper > bins.edges[b] && epsilon.upper <= bins.edges[b + 1];
    }
    EXPECT_EQ(bins.counts[b], between) << b;
  }
  EXPECT_EQ(bins.beyond, 0u);
}

TEST(Bins, ValuesOnEdgesBelongToTheBinBelowAndZeroToTheFirst) {
  const Bins plain = bins_of({}, {.edge = 0.1, .below = 1, .bins = 7});
  for (std::size_t b = 0; b < 7; ++b) {
    const std::vector<Bound> on_edge = {exactly(plain.edges[b + 1])};
    EXPECT_EQ(bins_of(on_edge, {.edge = 0.1, .below = 1, .bins = 7}).counts[b], 1u) << b;
  }
  const std::vector<Bound> zero = {exactly(0)};
  EXPECT_EQ(bins_of(zero, {.edge = 0.1, .below = 1, .bins = 7}).counts.front(), 1u);
}

TEST(Bins, HaveTheEdgeThatWasAskedForExactly) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> anywhere(0.01, 9);
  for (int i = 0; i < 1000; ++i) {
    const double edge = anywhere(random);
    const std::size_t below = 1 + random() % 60;
    const std::vector<Bound> on_edge = {exactly(edge)};
    const Bins bins = bins_of(on_edge, {.edge = edge, .below = below, .bins = below + 3});
    EXPECT_EQ(bins.edges[below], edge);
    EXPECT_EQ(bins.counts[below - 1], 1u);
    EXPECT_TRUE(std::is_sorted(bins.edges.begin(), bins.edges.end()));
  }
}

TEST(Bins, GoByUpperEndsAndCountWhatIsBeyond) {
  const std::vector<Bound> epsilons = {
      {.lower = 0, .upper = 0.9},
      {.lower = 0.1, .upper = 1.5},
      {.lower = 0, .upper = std::numeric_limits<double>::infinity()}};
  const Bins bins = bins_of(epsilons, {.edge = 1, .below = 2, .bins = 2});
  EXPECT_EQ(bins.counts, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(bins.beyond, 2u);
}

}  // namespace
}  // namespace ration::report
