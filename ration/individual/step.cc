#include "ration/individual/step.h"

#include "ration/base/error.h"

namespace ration {
namespace {

struct StepOf {
  Clip clip;

  Step operator()(const Gaussian& m) const { return {.noise = m.noise, .clip = clip, .rate = 1}; }
  Step operator()(const SubsampledGaussian& m) const {
    return {.noise = m.noise, .clip = clip, .rate = m.rate};
  }
  Step operator()(const WithoutNormalNoise auto&) const {
    throw Error("individual accounts are of normal noise: leave other mechanisms out of the plan");
  }
};

}  // namespace

std::vector<RepeatedStep> repeated_steps(const Plan& run, Clip clip) {
  std::vector<RepeatedStep> steps;
  steps.reserve(run.size());
  for (const auto& [mechanism, count] : run) {
    steps.push_back({.step = std::visit(StepOf{clip}, mechanism), .times = count.count()});
  }
  return steps;
}

}  // namespace ration
