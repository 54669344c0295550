// What rounding can add to anybody's contribution to a private sum. The sum is made in blocks of
// people: each block is a float32 matrix product, rounded to the lattice. Removing one person
// changes the sum by that person's gradient and by roundings; rounding_slack bounds the latter.
// Who clips to clip - slack and charges norm + slack charges nobody more than the clip bound.
// Pure functions. docs/math/noise.md
#pragma once

#include <cstddef>

#include "ration/base/values.h"

namespace ration::train {

// People are dealt with in ranges that are fixed in advance. At rate 1 a range is a block, and each
// person has a fixed place in it. Below, those of a range who are drawn are packed into blocks one
// after the other, so that one person's draw moves others of their range, and nobody else.
struct SumShape {
  std::size_t people;
  std::size_t range;  // people in a range; below rate 1 only
  Rate rate = 1.0;
  std::size_t block;    // people in a block, at most
  std::size_t entries;  // of the sum
};

// Euclidean norm, in the units of clip, rounded up. Refuses a slack above a quarter of clip, and
// sums that could leave the range of the lattice, whoever takes part. Below rate 1 it holds unless
// more than most_drawn of a range are drawn beside one person.
double rounding_slack(const SumShape& shape, double lattice_step, Clip clip);

// More than that many of so many people are drawn with probability below 2^-120, by Chernoff's
// bound. Everybody at rate 1.
std::size_t most_drawn(std::size_t people, Rate rate);

}  // namespace ration::train
