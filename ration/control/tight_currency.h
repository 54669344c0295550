// Spends under the tight filter for sampled steps: whole units of a price list that is fixed before
// the run. What a budget is worth is what the worst adversary reaches against the list
// (worst_adversary.h), worked out once, in a second or a few; a filter keeps it with its state.
// docs/math/tight_filter.md
#pragma once

#include <cstdint>
#include <vector>

#include "ration/base/values.h"
#include "ration/control/currency.h"
#include "ration/control/price_list.h"
#include "ration/control/worst_adversary.h"

namespace ration {

// Steps with more noise than `step`, or a smaller rate, are paid for as well. The list suits
// `population`, and budgets up to this one. Refuses a budget that not even one step fits into, and
// one for which errors of the computation are too large, with the reason.
CurrencyPtr tight_currency(const SubsampledGaussian& step, Epsilon epsilon, Delta delta,
                           const Population& population = {});
CurrencyPtr tight_currency(const SubsampledGaussian& step, Steps steps, Delta delta,
                           const Population& population = {});

// How many steps at the clip bound fit into (epsilon, delta) under tight accounting.
std::uint64_t worst_case_steps(const SubsampledGaussian& step, Epsilon epsilon, Delta delta);

// As states keep it.
CurrencyPtr tight_currency(PriceList list, Delta delta, std::vector<BudgetWorth> worth);
CurrencyPtr tight_currency_from(std::span<const std::vector<double>> numbers);

}  // namespace ration
