// Everybody's eps by Renyi divergences: the best of a fixed list of orders, 16 to each octave of
// order - 1 from 2^-13 to 2^16, or of the orders given.
// docs/math/individual.md
#pragma once

#include <span>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/individual/used_mechanisms.h"

namespace ration {

std::vector<Bound> renyi_epsilons(const UsedMechanisms& used, Delta delta,
                                  std::span<const Order> orders, const Progress& progress);

}  // namespace ration
