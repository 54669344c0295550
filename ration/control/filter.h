// The filter: before each step it says who takes part, namely everybody whose total, this step
// included, stays within their budget in every place of the currency, and charges them. Anyone who
// is left out pays nothing and may be admitted again to a later step that fits. Whatever is chosen
// in view of earlier outputs, all outputs together stay within everybody's budget.
//
// One for everybody at once is the case of one person, whose norm is always at the clip bound.
// Decisions are exact: they do not depend on the order of people, the number of threads or the
// processor. Totals, and who is admitted, are private. For one caller at a time; OpenMP inside.
// Another thread may change the norms meanwhile: a person is admitted and charged for one reading
// of their norm, whichever it was. docs/math/filters.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ration/control/currency.h"

namespace ration {

class OwnNorms;

class Filter {
 public:
  // For everybody at once.
  Filter(CurrencyPtr currency, const Budget& budget);
  // For each of these people: one budget for all, or some kinds of budget and everybody's kind.
  Filter(std::size_t people, CurrencyPtr currency, const Budgets& budgets);
  Filter(std::size_t people, CurrencyPtr currency, const Budget& budget);

  // All that it remembers; a filter built from it decides the same.
  struct State {
    CurrencyPtr currency;
    Scope scope = Scope::each_person;
    std::vector<Units> spent = {};            // people x places
    std::vector<Units> budgets = {};          // rows of places: one for all, per kind or per person
    std::vector<std::uint32_t> kind_of = {};  // of currencies that have kinds
    std::uint64_t steps = 0;  // seen so far; for everybody at once, those that were admitted
    std::string source = {};  // what its budgets come from, as a ledger's grant; or nothing
    friend bool operator==(const State& a, const State& b);
  };
  // Refuses what no steps lead to.
  explicit Filter(State state);
  const State& state() const { return state_; }

  // For everybody at once: a noisy sum in which somebody may have the largest norm, and any mu-GDP
  // mechanism. A step that is halted costs nothing, and a smaller one may still be admitted.
  bool admit(const Step& step);
  bool admit(Mu mu);

  // For each person: mask[i] becomes 1 where person i takes part and 0 where not. Norms are those
  // before clipping to step.clip. Refuses unlike lengths, a step that the currency has no account
  // of, and what is not a norm (with its person and step, counted from 0); then nobody is charged,
  // the step does not count and the mask says nothing. (If norms were changed by another thread at
  // that, some people may stay charged, and the refusal says so.)
  void admit(const Step& step, const Norms& norms, std::span<std::uint8_t> mask);

  // What admit would say of the people from `first` on, and nobody is charged: for work that needs
  // the answer before everybody's norms are known. May be asked from many threads; where a price
  // must be prepared, each call does so anew.
  void would_admit(const Step& step, std::size_t first, const Norms& norms,
                   std::span<std::uint8_t> mask) const;

  // Like steps in a row, as by that many calls of admit: person i takes part in the first times[i]
  // of them.
  void admit_repeatedly(const Step& step, const Norms& norms, std::uint32_t steps,
                        std::span<std::uint32_t> times);
  // How often in a row each person would take part, at most `most`. Charges nobody.
  void could_admit(const Step& step, const Norms& norms, std::uint32_t most,
                   std::span<std::uint32_t> times);

  // Under Gaussian DP, as admit, but a contribution that does not fit is scaled down until it does:
  // multiply it by factors[i], from 0 to 1, before clipping. Anyone who is scaled has then spent
  // their budget exactly.
  void admit_scaled(const Step& step, std::span<const float> norms, std::span<float> factors);
  void admit_scaled(const Step& step, std::span<const double> norms, std::span<double> factors);

  const Currency& currency() const { return *state_.currency; }
  Scope scope() const { return state_.scope; }
  std::size_t people() const { return state_.spent.size() / currency().places(); }
  std::uint64_t steps() const { return state_.steps; }

  // As eps at a delta: a person's whole budget, which is what is guaranteed to them, for when
  // somebody stopped was decided in view of the outputs; and what they were charged, or everybody
  // was, never below the truth.
  Bound budget(std::size_t person, Delta delta) const;
  Bound spent(std::size_t person, Delta delta) const;
  std::vector<Bound> spent(Delta delta) const;
  // The same as a GDP parameter, where the currency has one.
  std::optional<Bound> budget_mu(std::size_t person) const;
  std::optional<Bound> spent_mu(std::size_t person) const;
  Guarantee guarantee() const { return currency().filter_guarantee(scope()); }

 private:
  void check_scope(Scope asked) const;
  Purses purses(std::size_t first, Units* spent) const;
  Purses purses(std::size_t first);
  std::span<const Units> budget_row(std::size_t person) const;
  std::span<const Units> spent_row(std::size_t person) const;
  void raise_to_budget(std::size_t person, std::span<Units> row) const;
  OwnNorms own_norms(const Norms& norms) const;
  const Price& prepared(const Step& step, const OwnNorms& norms);
  template <class Real>
  void admit_in_one_pass(const Price& price, std::span<const Real> norms,
                         std::span<std::uint8_t> mask);
  template <bool kCharge>
  void count_times(const Step& step, const Norms& norms, std::uint32_t most,
                   std::span<std::uint32_t> times);
  template <class Real>
  void admit_scaled_real(const Step& step, std::span<const Real> norms, std::span<Real> factors);

  State state_;
  Prices prices_;
};

}  // namespace ration
