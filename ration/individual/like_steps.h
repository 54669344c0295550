// A plan of noisy sums as the steps that accounts are charged for, in the plan's order. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "ration/individual/step.h"
#include "ration/mechanism/plan.h"

namespace ration {

struct LikeSteps {
  Step step;
  std::uint64_t count;
};
// Refuses other mechanisms than normal noise, with and without sampling.
std::vector<LikeSteps> like_steps(const Plan& run, Clip clip);

}  // namespace ration
