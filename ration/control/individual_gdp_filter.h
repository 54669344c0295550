// The individual GDP filter (Koskela, Tobaben, Honkela 2023, algorithm 2): before each step it says
// who takes part, namely everybody whose sum of mu^2 including this step stays within their budget,
// and charges them. Who is left out pays nothing and may be admitted again later.
// Decisions are exact and do not depend on the order of people, the number of threads or the
// processor. Who is admitted is private. For one caller at a time; OpenMP inside.
// docs/math/filters.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/guarantee.h"
#include "ration/control/budget.h"

namespace ration {

class IndividualGdpFilter {
 public:
  IndividualGdpFilter(std::size_t people, const Budget& budget);
  IndividualGdpFilter(std::size_t people, const Budgets& budgets);

  // All that it remembers; a filter built from it decides the same.
  struct State {
    std::vector<Units> spent;
    std::vector<Units> budgets;  // one for all or one per person
    std::uint64_t steps = 0;     // seen so far
    friend bool operator==(const State&, const State&) = default;
  };
  explicit IndividualGdpFilter(State state);
  const State& state() const { return state_; }

  // mask[i] becomes 1 where person i takes part and 0 where not. Norms are those before clipping to
  // step.clip. Refuses unlike lengths, a rate below 1, and what is not a norm (with its person and
  // step, counted from 0); then nobody is charged, the step does not count and the mask says
  // nothing.
  void admit(const Step& step, std::span<const float> norms, std::span<std::uint8_t> mask);
  void admit(const Step& step, std::span<const double> norms, std::span<std::uint8_t> mask);

  // What admit would say of the people from `first` on, and nobody is charged: for work that needs
  // the answer before everybody's norms are known. May be asked from many threads.
  void would_admit(const Step& step, std::size_t first, std::span<const float> norms,
                   std::span<std::uint8_t> mask) const;

  // Like steps in a row, as so many calls of admit: person i takes part in the first times[i] of
  // them.
  void admit_repeatedly(const Step& step, std::span<const float> norms, std::uint32_t steps,
                        std::span<std::uint32_t> times);
  // How often in a row each person would take part, at most `most`. Charges nobody.
  void could_admit(const Step& step, std::span<const float> norms, std::uint32_t most,
                   std::span<std::uint32_t> times);

  // As admit, but a contribution that does not fit is scaled down until it does: multiply it by
  // factors[i], from 0 to 1, before clipping. Who is scaled has then spent their budget exactly.
  void admit_scaled(const Step& step, std::span<const float> norms, std::span<float> factors);
  void admit_scaled(const Step& step, std::span<const double> norms, std::span<double> factors);

  std::size_t people() const { return state_.spent.size(); }
  std::uint64_t steps() const { return state_.steps; }
  // As mu, what one person was charged, never below the truth. Private. The guarantee is that of
  // the whole budget.
  Bound spent(std::size_t person) const;
  Bound budget(std::size_t person) const;
  static Guarantee guarantee();

 private:
  template <class Real>
  void admit_real(const Step& step, std::span<const Real> norms, std::span<std::uint8_t> mask);
  template <class Real>
  void admit_scaled_real(const Step& step, std::span<const Real> norms, std::span<Real> factors);
  template <bool kCharge>
  void count_times(const Step& step, std::span<const float> norms, std::uint32_t most,
                   std::span<std::uint32_t> times);
  Units budget_of(std::size_t person) const {
    return state_.budgets.size() == 1 ? state_.budgets[0] : state_.budgets[person];
  }

  State state_;
};

}  // namespace ration
