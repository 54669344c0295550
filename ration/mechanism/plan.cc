#include "ration/mechanism/plan.h"

namespace ration {

PlanEntry entry(const NoisySteps& given) {
  if (given.rate == 1.0) return {Gaussian{.noise = given.noise}, given.steps};
  return {SubsampledGaussian{.noise = given.noise, .rate = given.rate}, given.steps};
}

}  // namespace ration
