// Tight eps and delta in the direction add where the losses of single steps are tiny (a small rate,
// much noise), as an integral of the remove loss X on a line left of -1:
//
//     delta_add(eps) = e^eps E_P[(e^(-eps-X) - 1)+].
//
// Every error is inside the Bounds. Pure functions. docs/math/contour.md, "Rare losses"
#pragma once

#include "ration/base/bound.h"
#include "ration/mechanism/plan.h"

namespace ration::contour {

// Enclosures within `known`, which holds the truth; `saddle` is a good tilt of the add loss -X.
Bound add_epsilon(const Plan& plan, double delta, double saddle, const Bound& known);
Bound add_delta(const Plan& plan, double epsilon, double saddle, const Bound& known);

}  // namespace ration::contour
