// Everybody's own eps after a private run, or in the midst of it. A pure function, on all cores.
// What it returns is private. docs/training.md
#pragma once

#include "ration/individual/epsilons.h"
#include "ration/train/training_plan.h"

namespace ration::train {

// By the run's own method, at the run's delta, with what computed noise may add; nobody's is above
// what was promised to all by then.
IndividualPrivacy everybody_of(const Accounts& accounts, const TrainingPlan& plan,
                               const Promise& promise);

}  // namespace ration::train
