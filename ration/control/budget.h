// What a person may spend, as plain data; what it is worth in whole units is for a currency to say
// (currency.h). docs/math/filters.md
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "ration/base/values.h"
#include "ration/individual/step.h"
#include "ration/individual/units.h"

namespace ration {

struct MuBudget {
  Mu mu;
};
struct EpsilonBudget {
  Epsilon epsilon;
  Delta delta;
  // For Renyi filters along a curve of orders: the budget is a multiple of this step's curve; by
  // default of the Gaussian one, order / 2.
  std::optional<Step> shape = {};
};
// As much as this number of steps costs a person whose norm is at the clip bound: exactly as many
// fit.
struct StepsBudget {
  Step step;
  Steps steps;
};
using Budget = std::variant<MuBudget, EpsilonBudget, StepsBudget>;

// One budget for everybody (`kind_of` empty), or that of person i is kinds[kind_of[i]].
struct Budgets {
  std::vector<Budget> kinds;
  std::vector<std::uint32_t> kind_of = {};
};
// Refuses lists that do not fit each other or this many people.
void check_budgets(const Budgets& budgets, std::size_t people);

// One unit below kMostUnits: a charge that stopped counting there fits into no budget.
inline constexpr Units kLargestBudget = kMostUnits - 1;

}  // namespace ration
