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
  bool sound =
      state_.budget.size() == state_.orders.size() && state_.spent.size() == state_.orders.size();
  for (std::size_t k = 0; sound && k < state_.orders.size(); ++k) {
    sound = state_.budget[k] <= kLargestBudget && state_.spent[k] <= state_.budget[k];
  }
  if (!sound) throw Error("state of a filter is wrong: more is spent than the budget allows");
}

bool RenyiFilter::admit(const Step& step) {
  const std::vector<Units> charge = rules_.of(step, state_.orders).worst_case();
  for (std::size_t k = 0; k < charge.size(); ++k) {
    if (charge[k] > state_.budget[k] - state_.spent[k]) return false;
  }
  for (std::size_t k = 0; k < charge.size(); ++k) state_.spent[k] += charge[k];
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
