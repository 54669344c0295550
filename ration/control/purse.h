// Rows of whole units, and what still fits into a budget: the comparisons that every filter makes,
// whatever its currency. A place of a budget that is kMostUnits limits nothing. Pure functions, in
// exact arithmetic. docs/math/filters.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/individual/units.h"

namespace ration {

using Row = std::vector<Units>;  // one entry for each place of a currency

// What a block of people have spent, which is added to, and what they may spend.
struct Purses {
  std::size_t places;
  Units* spent;                  // people x places
  const Units* budgets;          // rows of places
  std::size_t stride;            // from one person's row to the next; 0: all have the first
  const std::uint32_t* kind_of;  // if not null, person i has row kind_of[i] instead

  const Units* budget_of(std::size_t person) const {
    return budgets + (kind_of == nullptr ? person * stride : kind_of[person] * places);
  }
};

// Within the budget in every place that it limits?
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

inline bool limits_nothing(std::span<const Units> budget) {
  for (const Units units : budget) {
    if (units != kMostUnits) return false;
  }
  return true;
}

// Could these be one person's totals? What costs something does so in every place.
inline bool is_total(std::span<const Units> totals) {
  std::size_t zeros = 0;
  for (const Units units : totals) zeros += units == 0 ? 1 : 0;
  return zeros == 0 || zeros == totals.size();
}

// Could these be what a filter remembers of one person? Both have as many places.
inline bool is_sound(std::span<const Units> spent, std::span<const Units> budget) {
  for (std::size_t k = 0; k < spent.size(); ++k) {
    if (spent[k] > budget[k]) return false;
  }
  return !limits_nothing(budget) && is_total(spent);
}

}  // namespace ration
