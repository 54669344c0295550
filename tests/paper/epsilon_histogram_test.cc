#include "paper/epsilon_histogram.h"

#include <gtest/gtest.h>

#include <numeric>

namespace ration {
namespace {

TEST(EpsilonHistogram, EverybodyIsInTheBinThatTheirUpperEndIsIn) {
  const std::vector<Bound> epsilons = {exactly(0), {0.1, 0.26}, exactly(3.99), exactly(4)};
  const Histogram histogram = epsilon_histogram("people", epsilons, bins_up_to(4));
  ASSERT_EQ(histogram.heights.size(), 40U);
  EXPECT_EQ(histogram.heights[0], 1);
  EXPECT_EQ(histogram.heights[2], 1);   // 0.26 of bins of a tenth
  EXPECT_EQ(histogram.heights[39], 2);  // the largest is in the last
  EXPECT_EQ(std::accumulate(histogram.heights.begin(), histogram.heights.end(), 0.0), 4);
}

// A fortieth of some of these, times forty, is less than they are.
TEST(EpsilonHistogram, TheLastEdgeIsTheLargestExactly) {
  for (double most = 0.1; most < 20; most *= 1.0007) {
    const BinRange range = bins_up_to(most);
    EXPECT_EQ(edges_of(range).back(), most);
    const std::vector<Bound> one = {exactly(most)};
    EXPECT_EQ(epsilon_histogram("", one, range).heights.back(), 1) << most;
  }
}

}  // namespace
}  // namespace ration
