// The approximative accountant of the paper (section 5): each person's delta(eps) by privacy-loss
// distributions, the largest mu of a Gaussian curve through any of its points on a range of eps,
// and the Renyi conversion of that Gaussian. Approximate: taken for all real eps the condition
// would give no amplification by sampling at all, so that a range has to be chosen, and what lies
// outside is not covered. docs/math/individual.md
#pragma once

#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/compose/compose.h"
#include "ration/individual/accounts.h"
#include "ration/individual/epsilons.h"
#include "ration/individual/used_mechanisms.h"

namespace ration {

// mu of everybody: lower and upper end of the rounding to buckets, themselves not proved.
std::vector<Bound> blackwell_mus(const UsedMechanisms& used, const BlackwellRange& range,
                                 const Progress& progress = {});
// Their eps: the best real order of alpha mu^2 / 2.
std::vector<Bound> blackwell_epsilons(const UsedMechanisms& used, Delta delta,
                                      const BlackwellRange& range, const Progress& progress = {});

// One person's delta over a range of eps under every method, side by side: what their steps,
// rounded toward more loss, allow anybody to learn about them. Private.
struct PersonCurve {
  std::vector<Method> methods;
  std::vector<CurvePoint> points;  // of the upper plan; a person who spent nothing has delta 0
  std::vector<double> blackwell;   // per point: the Gaussian curve fitted on a range; approximate
};

// The methods are those that cover the whole run, so that which they are says nothing about the
// person.
PersonCurve person_curve(const Accounts& accounts, std::size_t person, const Plan& run,
                         const CurveRange& range, const BlackwellRange& fitted_on);

}  // namespace ration
