// One noisy sum, as everybody's accounts see it. A person whose contribution has norm x takes part
// in a SubsampledGaussian{.noise = noise * clip / x, .rate = rate}; x is clipped to `clip` first.
// Values and pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "ration/base/values.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

struct Step {
  Noise noise;  // of the sum: standard deviation divided by the clip bound
  Clip clip = 1;
  Rate rate = 1;
};

struct RepeatedStep {
  Step step;
  std::uint64_t times;
};

// A plan of noisy sums as the steps that people pay for, in the plan's order. Refuses mechanisms
// other than normal noise, with or without sampling.
std::vector<RepeatedStep> repeated_steps(const Plan& run, Clip clip);

}  // namespace ration
