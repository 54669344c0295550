#include "ration/control/individual_renyi_filter.h"

#include <fmt/format.h>

#include <utility>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/individual/accounts_check.h"
#include "ration/individual/norms.h"

namespace ration {

IndividualRenyiFilter::IndividualRenyiFilter(std::size_t people, std::vector<Order> orders,
                                             const Budgets& budgets)
    : state_{.orders = std::move(orders), .spent = {}, .budgets = {}, .kind_of = budgets.kind_of} {
  check_budgets(budgets, people);
  for (const Budget& budget : budgets.kinds) {
    const std::vector<Units> row = renyi_units(budget, state_.orders);
    state_.budgets.insert(state_.budgets.end(), row.begin(), row.end());
  }
  state_.spent.resize(people * state_.orders.size());
}

IndividualRenyiFilter::IndividualRenyiFilter(State state) : state_(std::move(state)) {
  check_orders(state_.orders);
  const std::size_t orders = state_.orders.size(), kinds = state_.budgets.size() / orders;
  bool sound = state_.spent.size() % orders == 0 && state_.budgets.size() % orders == 0 &&
               (state_.kind_of.empty() ? kinds == 1 : state_.kind_of.size() == people());
  for (const std::uint32_t kind : state_.kind_of) sound &= kind < kinds;
  const std::vector<Units> nothing(orders);
  for (std::size_t kind = 0; sound && kind < kinds; ++kind) {
    sound = is_sound(nothing, {state_.budgets.data() + kind * orders, orders});
  }
  if (!sound) throw Error("state of a filter is wrong: its lists do not fit each other");
  for (std::size_t i = 0; i < people(); ++i) {
    if (is_sound({state_.spent.data() + i * orders, orders}, {budget_of(i), orders})) continue;
    throw Error(fmt::format(
        "state of a filter is wrong: person {} has spent more than their budget allows", i));
  }
}

template <class Real, class Use>
void IndividualRenyiFilter::each_charge(const Step& step, std::span<const Real> norms,
                                        const Use& use) {
  check_people(people(), norms.size(), "norms");
  check_norms(norms, state_.steps);
  RenyiRule& rule = rules_.of(step, state_.orders);
  rule.prepare(norms);
  const std::size_t orders = state_.orders.size();
  for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
    std::vector<Units> charge(orders);
    for (std::size_t i = from; i < from + count; ++i) {
      rule.charge(norms[i], charge);
      use(i, charge, state_.spent.data() + i * orders);
    }
  });
}

template <class Real>
void IndividualRenyiFilter::admit_real(const Step& step, std::span<const Real> norms,
                                       std::span<std::uint8_t> mask) {
  check_people(people(), mask.size(), "mask entries");
  each_charge(step, norms, [&](std::size_t i, std::span<const Units> charge, Units* spent) {
    const bool admitted = fits(charge, spent, budget_of(i));
    mask[i] = static_cast<std::uint8_t>(admitted);
    if (admitted) add_to(spent, charge);
  });
  ++state_.steps;
}

void IndividualRenyiFilter::admit(const Step& step, std::span<const float> norms,
                                  std::span<std::uint8_t> mask) {
  admit_real(step, norms, mask);
}
void IndividualRenyiFilter::admit(const Step& step, std::span<const double> norms,
                                  std::span<std::uint8_t> mask) {
  admit_real(step, norms, mask);
}

template <bool kCharge>
void IndividualRenyiFilter::count_times(const Step& step, std::span<const float> norms,
                                        std::uint32_t most, std::span<std::uint32_t> times) {
  check_people(people(), times.size(), "times");
  each_charge(step, norms, [&](std::size_t i, std::span<const Units> charge, Units* spent) {
    times[i] = times_that_fit(charge, spent, budget_of(i), most);
    if (kCharge && times[i] != 0) add_to(spent, charge, times[i]);
  });
}

void IndividualRenyiFilter::admit_repeatedly(const Step& step, std::span<const float> norms,
                                             std::uint32_t steps, std::span<std::uint32_t> times) {
  count_times<true>(step, norms, steps, times);
  state_.steps += steps;
}
void IndividualRenyiFilter::could_admit(const Step& step, std::span<const float> norms,
                                        std::uint32_t most, std::span<std::uint32_t> times) {
  count_times<false>(step, norms, most, times);
}

Bound IndividualRenyiFilter::budget(std::size_t person, Delta delta) const {
  check_index("person", person, people());
  return renyi_epsilon({budget_of(person), state_.orders.size()}, state_.orders, delta);
}
Bound IndividualRenyiFilter::spent(std::size_t person, Delta delta) const {
  check_index("person", person, people());
  const std::size_t orders = state_.orders.size();
  return renyi_epsilon({state_.spent.data() + person * orders, orders}, state_.orders, delta);
}

Guarantee IndividualRenyiFilter::guarantee() {
  return {.theorem =
              "Individual Renyi filter (Feldman, Zrnic 2021, thm. 4.3), at every order of a "
              "list fixed in advance; conversion of Canonne, Kamath, Steinke (2020)",
          .adaptive = true,
          .certified = true};
}

}  // namespace ration
