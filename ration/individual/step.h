// One noisy sum, as everybody's accounts see it. A person whose contribution has norm x takes part
// in a SubsampledGaussian{.noise = noise * clip / x, .rate = rate}; x is clipped to `clip` first.
#pragma once

#include "ration/base/values.h"

namespace ration {

struct Step {
  Noise noise;  // of the sum: standard deviation divided by the clip bound
  Clip clip = 1;
  Rate rate = 1;
};

}  // namespace ration
