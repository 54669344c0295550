// People parted at random into training and test, by a public seed: who is where tells nothing of
// what they hold. The same people on every machine. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ration/dataset/dataset.h"

namespace ration {

struct Split {
  double test_fraction;  // above 0 and below 1
  std::uint64_t seed = 0;
};

// Who goes to the test set: round(test_fraction * people) of them, at least one and not all, in
// increasing order; each choice of so many is equally likely.
std::vector<std::size_t> test_people(std::size_t people, const Split& split);

// Takes these people out, both sides in the order they had. Needs memory for them alone.
People take_out(People& from, const std::vector<std::size_t>& who);

}  // namespace ration
