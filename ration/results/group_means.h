// Sums and means of people's values: first of everybody, then of each group. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/bound.h"
#include "ration/dataset/groups.h"

namespace ration::results {

std::vector<std::uint64_t> sums_of(std::span<const std::uint8_t> mask, const Groups& groups);
// A group without people has no mean: not a number.
std::vector<double> means_of(std::span<const float> values, const Groups& groups);
std::vector<double> means_of(std::span<const double> values, const Groups& groups);
// Of upper ends, rounded up: a mean of what people have spent at most.
std::vector<double> upper_means_of(std::span<const Bound> epsilons, const Groups& groups);

}  // namespace ration::results
