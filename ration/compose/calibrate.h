// Which noise, how many steps, or which rate meets a target. The answer never overshoots: its
// certified eps is at most the target's, and the next coarser answer's is not. Pure functions.
#pragma once

#include <cstdint>

#include "ration/compose/compose.h"

namespace ration {

struct Target {
  Epsilon epsilon;
  Delta delta;
};
struct RateAndSteps {
  Rate rate;
  Steps steps;
};
struct NoiseAndRate {
  Noise noise;
  Rate rate;
};
struct NoiseAndSteps {
  Noise noise;
  Steps steps;
};

// The smallest noise, to ten significant digits.
double calibrate_noise(const Target& target, const RateAndSteps& given, const Accounting& how = {});
// The most steps; 0 if not even one fits.
std::uint64_t calibrate_steps(const Target& target, const NoiseAndRate& given,
                              const Accounting& how = {});
// The largest rate, to ten significant digits.
double calibrate_rate(const Target& target, const NoiseAndSteps& given, const Accounting& how = {});

}  // namespace ration
