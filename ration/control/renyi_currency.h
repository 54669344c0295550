// Renyi DP as a currency: a charge is the divergence of a person's share of a step at each order of
// a list fixed in advance, in units, rounded up; with and without Poisson sampling (renyi_price.h).
// Under sampling everybody is charged for the contribution they would make, drawn or not.
// docs/math/filters.md
#pragma once

#include <vector>

#include "ration/control/currency.h"

namespace ration {

// 18 orders from 1.25 to 64.
std::vector<Order> default_orders();

// Refuses an empty list, more than 4096 orders, and orders that do not increase.
//
// What budgets are worth: a mu is order mu^2 / 2; steps are as many times their charge. An
// (eps, delta) is, at one order, the divergence that the conversion of Canonne et al. takes to it;
// along several orders the largest multiple of the budget's shape whose best order gives it. At an
// order where the budget is above kLargestBudget (a divergence of 16384) it is kMostUnits: there
// nothing is limited and nothing claimed. Refuses an (eps, delta) that no order of the list can
// give, and a budget that limits nothing at any order.
CurrencyPtr renyi_currency(std::vector<Order> orders);

}  // namespace ration
