// A plan that several tests speak of.
#pragma once

#include "ration/control/gdp_currency.h"
#include "ration/train/training_plan.h"

namespace ration::train {

// The clinical experiment: facts of the paper's authors, budget and eps computed in 30 digits.
inline TrainingPlan clinical() {
  const Step step = {.noise = 10.614652581338738, .clip = 0.7872438989061009};
  return {.step = step,
          .delta = 1e-5,
          .epochs = 100,
          .filter = FilterPlan{.currency = gdp_currency(),
                               .budget = StepsBudget{.step = step, .steps = 50}}};
}

}  // namespace ration::train
