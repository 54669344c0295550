// Renyi accounting of any plan: divergences add up at every order, and the best order gives
// (eps, delta) by the conversion of Canonne, Kamath and Steinke (2020). docs/math/renyi.md
//
// The Bound encloses the best value over real orders from 1 + 1e-6 to 1 + 1e6 (from 1 + 1e-9 to
// 1 + 1e12 when nothing is subsampled), or over the listed orders. Pure functions.
#pragma once

#include <span>

#include "ration/compose/compose.h"

namespace ration::renyi {

// K(z) of the whole plan; the larger of the two directions.
Bound log_moment(const Plan& plan, double z);

Privacy at_delta(const Plan& plan, Delta delta, std::span<const Order> orders = {});
Privacy at_epsilon(const Plan& plan, Epsilon epsilon, std::span<const Order> orders = {});

}  // namespace ration::renyi
