#include "ration/model/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ration {
namespace {

TEST(InitialParameters, FillTheRangeOfTheirLayerEvenly) {
  const Architecture architecture{.inputs = 100, .outputs = 10, .hidden = {400}};
  const std::vector<float> parameters = initial_parameters(architecture, SecretStream::of_seed(1));
  ASSERT_EQ(parameters.size(), architecture.parameters());
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const double bound = 1 / std::sqrt(static_cast<double>(architecture.width_in(layer)));
    const auto begin = static_cast<std::ptrdiff_t>(architecture.offset(layer));
    const auto end = static_cast<std::ptrdiff_t>(architecture.offset(layer + 1));
    double sum = 0, squares = 0, largest = 0;
    for (auto p = parameters.begin() + begin; p != parameters.begin() + end; ++p) {
      sum += *p;
      squares += static_cast<double>(*p) * static_cast<double>(*p);
      largest = std::max(largest, static_cast<double>(std::abs(*p)));
    }
    const auto count = static_cast<double>(end - begin);
    // Five standard deviations of a mean of uniform numbers, and of their squares.
    EXPECT_LE(std::abs(sum / count), 5 * bound / std::sqrt(3 * count));
    EXPECT_LE(std::abs(squares / count - bound * bound / 3),
              5 * bound * bound * std::sqrt(4.0 / 45 / count));
    EXPECT_LE(largest, bound);
    EXPECT_GE(largest, 0.99 * bound);
  }
}

TEST(InitialParameters, AreTheStreamsOwn) {
  const Architecture architecture{.inputs = 30, .outputs = 10, .hidden = {50}};
  const auto of_seed = [&](std::uint64_t seed) {
    return initial_parameters(architecture, SecretStream::of_seed(seed));
  };
  EXPECT_EQ(of_seed(1), of_seed(1));
  EXPECT_NE(of_seed(1), of_seed(2));
}

}  // namespace
}  // namespace ration
