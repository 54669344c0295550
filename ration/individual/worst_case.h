// What a run costs somebody whose norm is at the clip bound at every step: what everybody would be
// told without accounts of their own. Pure functions. docs/math/individual.md
#pragma once

#include "ration/base/bound.h"
#include "ration/base/guarantee.h"
#include "ration/base/values.h"
#include "ration/individual/buckets.h"
#include "ration/individual/epsilons.h"
#include "ration/mechanism/plan.h"

namespace ration {

// The guarantee is of the clip bound at every step of the plan, whatever people's norms follow
// from.
struct WorstCase {
  Bound epsilon;
  Guarantee guarantee;
};

// By the method that everybody's eps is found by: tightly for pld, by the best real order (or
// the best of those listed) for rdp, exactly for gdp; for blackwell the eps of such a person's
// account with these buckets. Refuses plans that the method does not cover.
WorstCase worst_case(const Plan& run, const Buckets& buckets, Delta delta,
                     const IndividualAccounting& how);

// Nobody spends more than the worst case: takes it for what exceeds it, which buckets and shared
// lines can make of people at the clip bound. Not for blackwell, whose ends are not proved.
void cap(IndividualPrivacy& everybody, const Bound& worst_case);

}  // namespace ration
