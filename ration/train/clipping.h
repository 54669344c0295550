// What rounding can add to anybody's contribution to a private sum. The sum is made in blocks of
// people: each block is a float32 matrix product, rounded to the lattice. Removing one person
// changes the sum by that person's gradient and by roundings; rounding_slack bounds the latter.
// With gradients clipped to clip - slack and charges of norm + slack, nobody is charged more than
// the clip bound.
// Pure functions. docs/math/noise.md
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ration/base/values.h"

namespace ration::train {

// People are dealt with in ranges that are fixed in advance. At rate 1 a range is a block, and each
// person has a fixed place in it. Below, those of a range who are drawn are packed into blocks one
// after the other, so that one person's draw moves others of their range, and nobody else.
//
// Where people have several records (People::together), blocks are of records, and a block holds
// all records of somebody or none: how many blocks a range has is nobody else's business, and not
// known in advance. Ranges are of people then at rate 1 as well.
struct SumShape {
  std::size_t people;
  std::size_t range;  // people in a range; below rate 1, and where records are taken together
  Rate rate = 1.0;
  std::size_t block;    // people in a block, or records, at most
  std::size_t entries;  // of the sum
  bool together = false;
};

// Euclidean norm, in the units of clip, rounded up. Refuses a slack above a quarter of clip, and
// sums that could leave the range of the lattice, whoever takes part. Below rate 1 it holds unless
// more than most_drawn of a range are drawn beside one person.
double rounding_slack(const SumShape& shape, double lattice_step, Clip clip);

// More than that many of so many people are drawn with probability below 2^-120, by Chernoff's
// bound. Everybody at rate 1.
std::size_t most_drawn(std::size_t people, Rate rate);

// How one person's gradient is clipped and what they pay for it. Sums are float32, so that removing
// a person changes the sum by their contribution and by rounding, at most `slack` (rounding_slack):
// contributions are clipped to clip - slack, and charges are contribution + slack, never above the
// clip bound. Values. docs/math/noise.md

class Clipping {
 public:
  Clipping(Clip clip, double slack);

  // What stands for the norm of a gradient that is no finite number: it contributes nothing and
  // pays the full clip bound. A float32 that is held and saved like any other norm.
  static constexpr float kNoNumber = std::numeric_limits<float>::max();
  static float held(float norm) { return norm < kNoNumber ? norm : kNoNumber; }  // also for NaN

  // What a gradient of this norm may contribute: its norm, or the bound if that is less.
  float bound(float norm) const { return norm < kNoNumber ? std::min(norm, most_) : 0.0F; }
  // What is charged for it: the contribution and its share of rounding. Nothing for a gradient of
  // zero, which is left out of every sum; the clip bound for one that is clipped or no number.
  float charge(float norm) const {
    if (norm == 0) return 0;
    if (!(norm < most_)) return clip_;
    return std::min(clip_, std::nextafter(norm + slack_, kNoNumber));
  }
  // The same for a gradient that is in the sum even if it is zero: somebody's place in a sample
  // moves others, and so the rounding of their sum.
  float charge_if_summed(float norm) const { return norm == 0 ? slack_ : charge(norm); }
  // The factor that brings a gradient of this norm below `bound`: 1, or less by a margin that
  // covers the rounding of weight times error in float32.
  static float weight(float norm, float bound) {
    if (!(norm < kNoNumber) || bound == 0) return 0;
    return norm <= bound ? 1.0F : bound / norm * kMargin;
  }

 private:
  static constexpr float kMargin = 1 - 0x1p-20F;

  float clip_, slack_, most_;
};

}  // namespace ration::train
