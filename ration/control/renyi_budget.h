// Budgets of Renyi filters: one number per order, in whole units, never above what was given.
// Pure functions. docs/math/filters.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/guarantee.h"
#include "ration/control/budget.h"

namespace ration {

// 18 orders from 1.25 to 64.
std::vector<Order> default_orders();
// Refuses an empty list and orders that do not increase.
void check_orders(std::span<const Order> orders);

// A mu is order mu^2 / 2. So many steps are so many times their charge. An (eps, delta) is, at one
// order, the divergence that the conversion of Canonne et al. takes to it; along several orders the
// largest multiple of the budget's shape whose best order gives it. At an order where the budget is
// above kLargestBudget (a divergence of 16384) it is kMostUnits: there nothing is limited and
// nothing claimed. Refuses an (eps, delta) that no order of the list can give, and a budget that
// limits nothing at any order.
std::vector<Units> renyi_units(const Budget& budget, std::span<const Order> orders);

// Within the budget at every order that it limits?
inline bool fits(std::span<const Units> charge, const Units* spent, const Units* budget) {
  bool all = true;
  for (std::size_t k = 0; k < charge.size(); ++k) {
    all &= (charge[k] <= budget[k] - spent[k]) | (budget[k] == kMostUnits);
  }
  return all;
}
inline void add_to(Units* spent, std::span<const Units> charge, Units times = 1) {
  for (std::size_t k = 0; k < charge.size(); ++k) {
    spent[k] =
        add_saturated(spent[k], times == 1 ? charge[k] : multiply_saturated(charge[k], times));
  }
}
// How many like charges in a row fit; `most` if more do.
inline std::uint32_t times_that_fit(std::span<const Units> charge, const Units* spent,
                                    const Units* budget, std::uint32_t most) {
  std::uint32_t times = most;
  for (std::size_t k = 0; k < charge.size(); ++k) {
    const Units left = budget[k] - spent[k];
    Units all = 0;
    const bool more = __builtin_mul_overflow(charge[k], Units{times}, &all) || all > left;
    if (more && budget[k] != kMostUnits) times = static_cast<std::uint32_t>(left / charge[k]);
  }
  return times;
}
// Could these be one person's totals? What costs something does so at every order.
bool is_total(std::span<const Units> totals);
// Could these be what a filter remembers of one person?
bool is_sound(std::span<const Units> spent, std::span<const Units> budget);

// The eps at this delta of somebody whose divergences are these, by the best order of the list.
// With kMostUnits in every place it is infinite.
Bound renyi_epsilon(std::span<const Units> divergences, std::span<const Order> orders, Delta delta);

}  // namespace ration
