// What is reported of people's eps: upper ends. Pure.
#pragma once

#include <span>
#include <vector>

#include "ration/base/bound.h"

namespace ration {

inline std::vector<double> upper_ends_of(std::span<const Bound> epsilons) {
  std::vector<double> upper;
  upper.reserve(epsilons.size());
  for (const Bound& epsilon : epsilons) upper.push_back(epsilon.upper);
  return upper;
}

}  // namespace ration
