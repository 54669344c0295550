#include "ration/mechanism/plan.h"

#include "ration/base/guarantee.h"

namespace ration {

PlanEntry entry(const NoisySteps& given) {
  if (given.rate == 1.0) return {Gaussian{.noise = given.noise}, given.steps};
  return {SubsampledGaussian{.noise = given.noise, .rate = given.rate}, given.steps};
}

std::string neighbours_in(const Plan& plan) {
  bool pair = false, response = false;
  for (const PlanEntry& e : plan) {
    pair = pair || std::holds_alternative<DiscretePair>(e.mechanism);
    response = response || std::holds_alternative<RandomisedResponse>(e.mechanism);
  }
  if (pair) return "the two columns of the pair";
  return response ? "change one answer" : Guarantee{}.neighbours;
}

}  // namespace ration
