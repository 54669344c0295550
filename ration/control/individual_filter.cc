#include "ration/control/individual_filter.h"

#include <utility>

#include "ration/base/error.h"
#include "ration/control/renyi_budget.h"
#include "ration/loss/gdp.h"

namespace ration {

IndividualFilter individual_filter(FilterKind kind, std::size_t people, const Budget& budget,
                                   std::vector<Order> orders) {
  if (kind == FilterKind::gdp) {
    if (!orders.empty()) throw Error("orders belong to filter rdp: leave them out, or choose rdp");
    return IndividualGdpFilter(people, budget);
  }
  if (orders.empty()) orders = default_orders();
  return IndividualRenyiFilter(people, std::move(orders), budget);
}

void admit_repeatedly(IndividualFilter& filter, const Step& step, std::span<const float> norms,
                      std::uint32_t steps, std::span<std::uint32_t> times) {
  std::visit([&](auto& chosen) { chosen.admit_repeatedly(step, norms, steps, times); }, filter);
}
void could_admit(IndividualFilter& filter, const Step& step, std::span<const float> norms,
                 std::uint32_t most, std::span<std::uint32_t> times) {
  std::visit([&](auto& chosen) { chosen.could_admit(step, norms, most, times); }, filter);
}

Bound budget_epsilon(const IndividualFilter& filter, std::size_t person, Delta delta) {
  return std::visit([&](const auto& chosen) { return budget_epsilon(chosen, person, delta); },
                    filter);
}
Bound budget_epsilon(const IndividualGdpFilter& filter, std::size_t person, Delta delta) {
  const Bound mu = filter.budget(person);
  return {.lower = gdp::epsilon({.mu = mu.lower, .delta = delta}).lower,
          .upper = gdp::epsilon({.mu = mu.upper, .delta = delta}).upper};
}
Bound budget_epsilon(const IndividualRenyiFilter& filter, std::size_t person, Delta delta) {
  return filter.budget(person, delta);
}

Guarantee guarantee_of(const IndividualFilter& filter) {
  return std::visit([](const auto& chosen) { return chosen.guarantee(); }, filter);
}

}  // namespace ration
