// What shares of the people have spent: quantiles of everybody's eps, the median among them. One
// definition for all that is printed, written and drawn. They depend on the data: each is a single
// person's value, and none of them is differentially private. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ration/base/bound.h"

namespace ration {

// The least eps that at least `percent` of the people do not exceed: the k-th smallest, with
// k = ceil(percent n / 100), or 1. The k-th smallest of lower and of upper ends enclose it. Nothing
// is interpolated between two people, so that "half of them spent at most" is true as it is said:
// of ten people, one may lie above an interpolated 95 % quantile. Refuses an empty list and more
// than 100 percent.
Bound spent_by(unsigned percent, std::span<const Bound> epsilons);

inline constexpr std::array<unsigned, 7> kPercents = {0, 5, 25, 50, 75, 95, 100};
// spent_by() at each of these.
using Quantiles = std::array<Bound, kPercents.size()>;
std::string quantile_name(std::size_t i);  // "0.05" of 5 percent

Quantiles quantiles_of(std::span<const Bound> epsilons);

// Whether these can be the quantiles of these people: by the definition above, or interpolated
// between the two people beside them, as summaries had it before.
bool can_be_quantiles(const Quantiles& given, std::span<const Bound> epsilons);

// Quantiles of each group: group_of[i], below `groups`, is that of person i. Nobody is in a group
// when there are none; the quantiles of a group without people are all 0.
struct GroupQuantiles {
  std::size_t people;
  Quantiles quantiles;
};
std::vector<GroupQuantiles> quantiles_of(std::span<const Bound> epsilons,
                                         std::span<const std::uint32_t> group_of,
                                         std::size_t groups);

}  // namespace ration
