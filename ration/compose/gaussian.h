// Gaussian accounting in closed form: exact for plans in which everybody takes part.
#pragma once

#include "ration/compose/compose.h"

namespace ration::gaussian {

bool covers(const Plan& plan);  // no subsampling
Bound total_mu(const Plan& plan);
Privacy at_delta(const Plan& plan, Delta delta);
Privacy at_epsilon(const Plan& plan, Epsilon epsilon);

}  // namespace ration::gaussian
