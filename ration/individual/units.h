// Spends in whole units of 2^-50, so that sums are exact in any order, and what such sums say. Pure
// functions; safe from any thread. docs/math/filters.md
#pragma once

#include <cstdint>
#include <limits>

#include "ration/base/bound.h"
#include "ration/base/values.h"

namespace ration {

using Units = std::uint64_t;
inline constexpr double kUnit = 0x1p-50;
// As a charge or a total: this much or more.
inline constexpr Units kMostUnits = std::numeric_limits<Units>::max();

// Sums that stop at kMostUnits.
constexpr Units add_saturated(Units a, Units b) { return a > kMostUnits - b ? kMostUnits : a + b; }
constexpr Units multiply_saturated(Units a, Units b) {
  return b != 0 && a > kMostUnits / b ? kMostUnits : a * b;
}

// A number in units: the least that is not below it (at least 1 unless it is zero, at most
// kMostUnits), and the most that is not above it. Not negative.
Units units_up(double value);
Units units_down(double value);
// mu^2 in units, rounded up (at least 1 unless mu is zero): what a mu-GDP mechanism costs; and
// rounded down: what a budget of mu is worth.
Units square_up(Mu mu);
Units square_down(Mu mu);
// value * factor, rounded up and down, in exact arithmetic; 0 < factor <= 2^50. Stops at
// kMostUnits.
Units scale_up(Units value, double factor);
Units scale_down(Units value, double factor);

// 1 / noise^2, rounded up: mu^2 of a person at the clip bound.
Units inverse_square_up(Noise noise);

// What a total of this many charges says: the true sum of mu^2, and its root. A total of kMostUnits
// has no upper end.
Bound sum_of(Units total, std::uint64_t charges);
Bound mu_of(Units total, std::uint64_t charges);

}  // namespace ration
