// Group privacy: what a plan costs a household of k people who are all in the data or all out of
// it. Everybody's own guarantee is about one person; data of k people who live together say more of
// each of them. For normal noise without sampling exact, else an upper bound by the chain of
// neighbours: the lower end of the Bound is then that of one person alone. Pure functions.
// docs/math/household.md
#pragma once

#include "ration/compose/compose.h"

namespace ration {

// 1 to 1000 people.
Privacy compose_household(const Plan& plan, Delta delta, int people, const Accounting& how = {});
Privacy delta_at_household(const Plan& plan, Epsilon epsilon, int people,
                           const Accounting& how = {});

// 1 + e^eps + ... + e^((k - 1) eps), rounded up and perhaps infinite: by how much the delta of one
// person grows along the chain of k neighbours, while eps becomes k eps.
double chain_of_neighbours(Epsilon epsilon, int people);

}  // namespace ration
