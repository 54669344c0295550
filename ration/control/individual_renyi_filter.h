// The individual Renyi filter (Feldman, Zrnic 2021), at one order or along several, for steps with
// and without Poisson sampling. Admits everybody whose sum of divergences including this step stays
// within their budget at every order, and charges them; who is left out pays nothing. Under
// sampling everybody is charged for the contribution they would make, drawn or not. Who is admitted
// is private. For one caller at a time; OpenMP inside. docs/math/filters.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/guarantee.h"
#include "ration/control/renyi_budget.h"
#include "ration/control/renyi_rule.h"

namespace ration {

class IndividualRenyiFilter {
 public:
  IndividualRenyiFilter(std::size_t people, std::vector<Order> orders, const Budgets& budgets);
  IndividualRenyiFilter(std::size_t people, std::vector<Order> orders, const Budget& budget)
      : IndividualRenyiFilter(people, std::move(orders), Budgets{.kinds = {budget}}) {}

  // All that it remembers; a filter built from it decides the same.
  struct State {
    std::vector<Order> orders;
    std::vector<Units> spent;            // people x orders
    std::vector<Units> budgets;          // kinds x orders
    std::vector<std::uint32_t> kind_of;  // empty: everybody has the first kind
    std::uint64_t steps = 0;             // seen so far
    friend bool operator==(const State&, const State&) = default;
  };
  explicit IndividualRenyiFilter(State state);
  const State& state() const { return state_; }

  // As IndividualGdpFilter::admit, at any rate.
  void admit(const Step& step, std::span<const float> norms, std::span<std::uint8_t> mask);
  void admit(const Step& step, std::span<const double> norms, std::span<std::uint8_t> mask);

  // Like steps in a row, as so many calls of admit: person i takes part in the first times[i] of
  // them.
  void admit_repeatedly(const Step& step, std::span<const float> norms, std::uint32_t steps,
                        std::span<std::uint32_t> times);
  // How often in a row each person would take part, at most `most`. Charges nobody.
  void could_admit(const Step& step, std::span<const float> norms, std::uint32_t most,
                   std::span<std::uint32_t> times);

  std::size_t people() const { return state_.spent.size() / state_.orders.size(); }
  std::uint64_t steps() const { return state_.steps; }
  // The eps of one person's whole budget, which is what is guaranteed, and of what was charged.
  Bound budget(std::size_t person, Delta delta) const;
  Bound spent(std::size_t person, Delta delta) const;
  static Guarantee guarantee();

 private:
  // use(i, charge of person i, what they have spent), in any order.
  template <class Real, class Use>
  void each_charge(const Step& step, std::span<const Real> norms, const Use& use);
  template <class Real>
  void admit_real(const Step& step, std::span<const Real> norms, std::span<std::uint8_t> mask);
  template <bool kCharge>
  void count_times(const Step& step, std::span<const float> norms, std::uint32_t most,
                   std::span<std::uint32_t> times);
  const Units* budget_of(std::size_t person) const {
    const std::size_t kind = state_.kind_of.empty() ? 0 : state_.kind_of[person];
    return state_.budgets.data() + kind * state_.orders.size();
  }

  State state_;
  RenyiRules rules_;
};

}  // namespace ration
