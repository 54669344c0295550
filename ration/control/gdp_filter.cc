#include "ration/control/gdp_filter.h"

#include "ration/base/error.h"

namespace ration {

GdpFilter::GdpFilter(const State& state) : state_(state) {
  if (state.budget > kLargestBudget || state.spent > state.budget) {
    throw Error("state of a filter is wrong: more is spent than the budget allows");
  }
}

bool GdpFilter::admit(const Step& step) {
  refuse_rate_below_one(step);
  return admit_units(SpendRule(step).worst_case());
}

bool GdpFilter::admit_units(Units charge) {
  if (charge > state_.budget - state_.spent) return false;
  state_.spent += charge;
  ++state_.steps;
  return true;
}

Guarantee GdpFilter::guarantee() {
  return {.theorem =
              "Gaussian DP filter (Koskela, Tobaben, Honkela 2023): the sum of mu^2, steps "
              "chosen adaptively, stays within the budget",
          .adaptive = true,
          .certified = true};
}

}  // namespace ration
