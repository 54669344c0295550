// What accounts refuse at the door, before anything is charged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ration/individual/accounts.h"

namespace ration {

// Nobody, or more counts than there are addresses.
void check_size(std::size_t people, const Buckets& buckets);

// A table that is not of these people.
template <class Real>
void check_table(const NormTable<Real>& norms, const AccountsState& state);
// One that holds what is not a norm: the first in order of steps, which are counted from `step` on.
template <class Real>
void check_values(const NormTable<Real>& norms, std::uint64_t step);

// People who are not there or are listed twice, and lists of unlike length.
void check_subset(std::span<const std::size_t> who, std::size_t norms, std::size_t people);

// Repeats that are not of these people.
void check_times(std::span<const std::uint32_t> times, std::size_t people);

// What no sequence of steps leads to.
void check_state(const AccountsState& state);

// An index that is not below `count`.
void check_index(std::string_view name, std::size_t index, std::size_t count);

}  // namespace ration
