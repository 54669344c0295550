// The Renyi filter (Feldman, Zrnic 2021), at one order or along several: admits a step when at
// every order the sum of divergences including it stays within the budget, and charges it before
// anything is released. Takes subsampled steps. For one thread at a time. docs/math/filters.md
#pragma once

#include <cstdint>
#include <vector>

#include "ration/base/guarantee.h"
#include "ration/control/renyi_budget.h"
#include "ration/control/renyi_rule.h"

namespace ration {

class RenyiFilter {
 public:
  RenyiFilter(std::vector<Order> orders, const Budget& budget);

  // All that it remembers; a filter built from it decides the same.
  struct State {
    std::vector<Order> orders;
    std::vector<Units> budget, spent;  // per order
    std::uint64_t steps = 0;           // admitted
    friend bool operator==(const State&, const State&) = default;
  };
  explicit RenyiFilter(State state);
  const State& state() const { return state_; }

  bool admit(const Step& step);

  // The eps of the whole budget, which is what is guaranteed, and that of what was charged.
  Bound budget(Delta delta) const { return renyi_epsilon(state_.budget, state_.orders, delta); }
  Bound spent(Delta delta) const { return renyi_epsilon(state_.spent, state_.orders, delta); }
  static Guarantee guarantee();

 private:
  State state_;
  RenyiRules rules_;
};

}  // namespace ration
