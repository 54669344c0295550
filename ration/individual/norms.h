// What a norm may be: a finite number that is not negative. One place says so, for accounts and
// filters alike. A refusal names the person and the step (both counted from 0), never the value,
// which is private. Pure functions; OpenMP inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ration {

void check_norm(double norm);

// Are they all norms? Runs through a cache-sized block at several numbers a nanosecond.
bool are_norms(std::span<const float> norms);
bool are_norms(std::span<const double> norms);

// Refuses the first person whose norm is not one. With `who`, norms[i] is that of person who[i].
void check_norms(std::span<const float> norms, std::uint64_t step,
                 std::span<const std::size_t> who = {});
void check_norms(std::span<const double> norms, std::uint64_t step,
                 std::span<const std::size_t> who = {});

}  // namespace ration
