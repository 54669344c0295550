// A plan: which mechanisms are run, and how often each.
#pragma once

#include <string>
#include <vector>

#include "ration/mechanism/mechanism.h"

namespace ration {

struct PlanEntry {
  Mechanism mechanism;
  Steps steps;
};
using Plan = std::vector<PlanEntry>;

// Noisy sums over Poisson samples; at rate 1 everybody takes part and the sampling is gone.
struct NoisySteps {
  Noise noise;
  Rate rate;
  Steps steps;
};
PlanEntry entry(const NoisySteps& given);

// What two neighbouring data sets are, in words.
std::string neighbours_in(const Plan& plan);

}  // namespace ration
