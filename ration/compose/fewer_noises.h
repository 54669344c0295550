// Few noise levels in place of many, to search by: proofs use the plan itself. Pure function.
#pragma once

#include "ration/mechanism/plan.h"

namespace ration::contour {

// The lowest noise levels as they are, for they decide where large losses set in, and ever more of
// the others thrown together.
Plan with_fewer_noises(const Plan& plan);

}  // namespace ration::contour
