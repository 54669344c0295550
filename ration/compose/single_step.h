// One step of the subsampled Gaussian in closed form: what the composition methods are slowest at.
//
// With a = e^eps and a' = 1 + (a - 1)/rate the sampling takes out a factor (remove),
//     H_a(P||Q) = rate H_a'(N(1,s^2) || N(0,s^2)),
// and likewise for add. Pure functions. docs/math/contour.md, "One step"
#pragma once

#include "ration/compose/compose.h"

namespace ration::single_step {

bool covers(const Plan& plan);
Privacy at_delta(const Plan& plan, Delta delta);
Privacy at_epsilon(const Plan& plan, Epsilon epsilon);

}  // namespace ration::single_step
