// Quantiles of everybody's eps. They depend on the data: the smallest and the largest are single
// people's values, and none of them is differentially private. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/bound.h"

namespace ration {

inline constexpr std::array kQuantiles = {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0};
using Quantiles = std::array<Bound, kQuantiles.size()>;

// Those of lower ends and of upper ends, interpolated linearly between neighbours as NumPy does and
// rounded outward: quantiles grow with every value, so that each Bound holds for the true one.
// Refuses nobody.
Quantiles quantiles_of(std::span<const Bound> epsilons);

// The same for each group: group_of[i], below `groups`, is that of person i. Nobody is in a group
// when there are none; the quantiles of a group without people are all 0.
struct GroupQuantiles {
  std::size_t people;
  Quantiles quantiles;
};
std::vector<GroupQuantiles> quantiles_of(std::span<const Bound> epsilons,
                                         std::span<const std::uint32_t> group_of,
                                         std::size_t groups);

}  // namespace ration
