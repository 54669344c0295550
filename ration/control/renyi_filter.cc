#include "ration/control/renyi_filter.h"

#include <utility>

#include "ration/base/error.h"

namespace ration {

RenyiFilter::RenyiFilter(std::vector<Order> orders, const Budget& budget)
    : state_{.orders = std::move(orders), .budget = {}, .spent = {}} {
  state_.budget = renyi_units(budget, state_.orders);
  state_.spent.resize(state_.orders.size());
}

RenyiFilter::RenyiFilter(State state) : state_(std::move(state)) {
  check_orders(state_.orders);
  const bool sound =
      state_.budget.size() == state_.orders.size() && is_sound(state_.spent, state_.budget);
  if (!sound) throw Error("state of a filter is wrong: more is spent than the budget allows");
}

bool RenyiFilter::admit(const Step& step) {
  const std::vector<Units> charge = rules_.of(step, state_.orders).worst_case();
  if (!fits(charge, state_.spent.data(), state_.budget.data())) return false;
  add_to(state_.spent.data(), charge);
  ++state_.steps;
  return true;
}

Guarantee RenyiFilter::guarantee() {
  return {.theorem =
              "Renyi filter (Feldman, Zrnic 2021, thm. 4.3), at every order of a list fixed "
              "in advance; conversion of Canonne, Kamath, Steinke (2020)",
          .adaptive = true,
          .certified = true};
}

}  // namespace ration
