#include "ration/individual/person_curve.h"

#include "ration/compose/gaussian.h"
#include "ration/individual/account_plan.h"
#include "ration/individual/blackwell.h"
#include "ration/individual/used_mechanisms.h"
#include "ration/loss/gdp.h"

namespace ration {
namespace {

// The grid would give the contour's numbers again, in minutes for a person of many noise levels.
std::vector<Method> methods_of(const Plan& run) {
  if (gaussian::covers(run)) return {Method::gdp, Method::contour, Method::rdp};
  return {Method::contour, Method::rdp};
}

// delta is 0 everywhere, even at the smallest eps.
std::vector<CurvePoint> curve_of_nothing(std::size_t methods, const CurveRange& range) {
  std::vector<CurvePoint> points = delta_curve({}, {}, range);
  for (CurvePoint& point : points) point.delta.assign(methods, exactly(0));
  return points;
}

}  // namespace

PersonCurve person_curve(const Accounts& accounts, std::size_t person, const Plan& run,
                         const CurveRange& range, const BlackwellRange& fitted_on) {
  const Plan plan = plan_of(accounts, person, Rounding::up);
  PersonCurve curve = {.methods = methods_of(run), .points = {}, .blackwell = {}};
  curve.points = plan.empty() ? curve_of_nothing(curve.methods.size(), range)
                              : delta_curve(plan, curve.methods, range);
  const Accounts account = accounts.of({&person, 1});
  const double mu = blackwell_mus(UsedMechanisms(account), fitted_on).front().upper;
  for (const CurvePoint& point : curve.points) {
    curve.blackwell.push_back(gdp::delta({.epsilon = point.epsilon, .mu = mu}).upper);
  }
  return curve;
}

}  // namespace ration
