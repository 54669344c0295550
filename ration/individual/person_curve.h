// One person's delta over a range of eps under every method, side by side: what their steps,
// rounded toward more loss, allow anybody to learn about them. Private. Pure functions.
#pragma once

#include <vector>

#include "ration/compose/curve.h"
#include "ration/individual/accounts.h"
#include "ration/individual/epsilons.h"

namespace ration {

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
