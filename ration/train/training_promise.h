// What a private run promises everybody, and everybody's own eps, after it or in the midst of it.
// Noise and sums are computed, and differ from exact ones by a little: that is inside every eps
// here. Pure functions, on all cores. docs/training.md; docs/math/noise.md, "In the promise"
#pragma once

#include <cstdint>

#include "ration/control/promise.h"
#include "ration/individual/epsilons.h"
#include "ration/train/training_plan.h"

namespace ration::train {

// What an eps is found at, a little smaller than the plan's delta, and what is added to it.
inline constexpr double kComputedEpsilon = 0x1p-30;
Delta accounted_delta(const TrainingPlan& plan);
Bound as_computed(const Bound& epsilon);

// What is told to everybody after this many charged steps, and what it rests on.
Promise promise_of(const TrainingPlan& plan, std::uint64_t steps);

// Everybody's own eps, by the method that the plan's rate calls for; nobody's is above what was
// promised to all by then. Private.
IndividualMethod method_of(const TrainingPlan& plan);
IndividualPrivacy everybody_of(const Accounts& accounts, const TrainingPlan& plan,
                               const Promise& promise);

}  // namespace ration::train
