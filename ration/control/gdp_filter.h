// The GDP filter (Koskela, Tobaben, Honkela 2023, algorithm for everybody at once): admits a step
// when the sum of mu^2 including it stays within the budget, and charges it before anything is
// released. A step that is halted costs nothing, and a smaller one may still be admitted.
// For one thread at a time. docs/math/filters.md
#pragma once

#include <cstdint>

#include "ration/base/bound.h"
#include "ration/base/guarantee.h"
#include "ration/control/budget.h"

namespace ration {

class GdpFilter {
 public:
  explicit GdpFilter(const Budget& budget) : GdpFilter(State{.budget = gdp_units(budget)}) {}

  // All that it remembers; a filter built from it decides the same.
  struct State {
    Units budget, spent = 0;
    std::uint64_t steps = 0;  // admitted
    friend bool operator==(const State&, const State&) = default;
  };
  explicit GdpFilter(const State& state);
  const State& state() const { return state_; }

  // Any mu-GDP mechanism, and a noisy sum in which somebody may have the largest norm.
  bool admit(Mu mu) { return admit_units(square_up(mu)); }
  bool admit(const Step& step);

  // What was charged, never below the truth. The guarantee is that of the whole budget: when to
  // stop was decided in view of the outputs.
  Bound spent() const { return mu_of(state_.spent, 0); }
  Bound budget() const { return mu_of(state_.budget, 0); }
  static Guarantee guarantee();

 private:
  bool admit_units(Units charge);

  State state_;
};

}  // namespace ration
