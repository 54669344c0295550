// What a filter has charged everybody so far, as eps at one delta: charges are rounded up, so that
// both ends may lie above the truth. What it guarantees is the whole budget, for when somebody
// stopped was decided in view of the outputs. Private. Pure functions; OpenMP inside.
#pragma once

#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/control/individual_gdp_filter.h"
#include "ration/control/individual_renyi_filter.h"

namespace ration {

std::vector<Bound> spent_epsilons(const IndividualGdpFilter& filter, Delta delta);
std::vector<Bound> spent_epsilons(const IndividualRenyiFilter& filter, Delta delta);

}  // namespace ration
