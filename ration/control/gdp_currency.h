// Gaussian DP as a currency: a charge is mu^2 in units, one place, rounded up. Totals are exact and
// decisions do not depend on the processor. Takes no steps at a rate below 1. docs/math/filters.md
#pragma once

#include "ration/control/currency.h"

namespace ration {

CurrencyPtr gdp_currency();

// The largest sum of mu^2 under this budget, in units. Refuses budgets above kLargestBudget
// (mu = 127.9), and StepsBudgets at a rate below 1, which Gaussian DP has no account of.
Units gdp_units(const Budget& budget);

// Gaussian DP has no account of subsampling: the same refusal for budgets and steps.
void refuse_rate_below_one(const Step& step);

}  // namespace ration
