// What was run, as plain data. A new mechanism is added to the variant, and every accountant that
// forgets it stops compiling.
#pragma once

#include <string_view>
#include <variant>

#include "ration/base/values.h"

namespace ration {

// Adds normal noise of `noise` times the clip bound to a sum over everybody.
struct Gaussian {
  Noise noise;
};

// The same over a Poisson sample: each person takes part with probability `rate` < 1.
struct SubsampledGaussian {
  Noise noise;
  Rate rate;
};

using Mechanism = std::variant<Gaussian, SubsampledGaussian>;

// Remove: the person is in the data, against not. Add: the reverse.
enum class Direction { remove, add };
constexpr std::string_view name(Direction d) { return d == Direction::remove ? "remove" : "add"; }

}  // namespace ration
