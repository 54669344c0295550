// Tight delta(eps) in the direction remove where it is made by rare large losses, which no tilt of
// the whole law reaches. Single steps that lose more than about eps are split off; their share is
// known in closed form. What is left has no far end, and a contour sees it. Every error is inside
// the Bounds. Pure functions. docs/math/contour.md, "Rare losses"
#pragma once

#include "ration/base/bound.h"
#include "ration/mechanism/mechanism.h"

namespace ration::contour {

// Whether every step of the plan is a subsampled Gaussian.
bool can_split(const Plan& plan);

// Enclosures in the direction remove, within `known`, which holds the truth.
Bound rare_epsilon(const Plan& plan, double delta, const Bound& known);
Bound rare_delta(const Plan& plan, double epsilon, const Bound& known);

// Tight eps and delta in the direction add where the losses of single steps are tiny (a small rate,
// much noise), as an integral of the remove loss X on a line left of -1:
//
//     delta_add(eps) = e^eps E_P[(e^(-eps-X) - 1)+].
//
// Enclosures within `known`, which holds the truth; `saddle` is a good tilt of the add loss -X.
Bound add_epsilon(const Plan& plan, double delta, double saddle, const Bound& known);
Bound add_delta(const Plan& plan, double epsilon, double saddle, const Bound& known);

}  // namespace ration::contour
