// A person's account as a plan that any accountant reads. It defines what everybody's eps means:
// the eps of the upper plan is never below that of the steps that were charged, the eps of the
// lower plan never above. Pure. docs/math/individual.md
#pragma once

#include <cstddef>

#include "ration/individual/accounts.h"
#include "ration/mechanism/plan.h"

namespace ration {

enum class Rounding { up, down };  // of the loss: toward less noise, toward more

// Refuses a person whose total is full (kMostUnits): their loss has no bound.
void refuse_full(const Accounts& accounts, std::size_t person);

// Each bucket at its least noise, or at its most, where steps whose noise nothing bounds are left
// out; and the steps without sampling as one Gaussian. Nothing spent is an empty plan. The upper
// plan of a full total is refused.
Plan plan_of(const Accounts& accounts, std::size_t person, Rounding rounding);

}  // namespace ration
