// What is done to people before a model is trained: they are parted into training and test, and
// their features are put on a common scale, by a seed and by constants that are public. Nothing
// here is computed from the data, so it costs nobody anything. The same on every machine. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ration/dataset/dataset.h"

namespace ration {

// By a public seed: who is where tells nothing of what they hold.
struct Split {
  double test_fraction;  // above 0 and below 1
  std::uint64_t seed = 0;
};

// Who goes to the test set: round(test_fraction * people) of them, at least one and not all, in
// increasing order; each choice of that size is equally likely.
std::vector<std::size_t> test_people(std::size_t people, const Split& split);

// Takes these people out with all of their records, both sides in the order they had. Needs memory
// for them alone.
People take_out(People& from, const std::vector<std::size_t>& who);

// x -> (x - mean) / scale, with what is known of a measurement before anybody looks at these people
// (the range of a pixel, a clinical reference range). The constants are never computed from the
// data: the mean of a column moves with every person in it, so a model trained after it would tell
// something of each of them that no account holds.
struct Standardisation {
  std::vector<double> mean, scale;  // one for all columns, or one for each
};
// The constants of one column.
struct Scale {
  double mean = 0, scale = 1;

  double applied_to(double x) const { return (x - mean) / scale; }
};

// In place. Refuses lists of other lengths, scales that are not above 0, and results that are not
// finite in float32.
void standardise(Table& table, const Standardisation& by, const std::string& source);

}  // namespace ration
