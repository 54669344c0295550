// Renyi odometers: as the GDP odometers, over levels that are curves of divergences along a list of
// orders, for steps with and without Poisson sampling. docs/math/filters.md
// For one caller at a time; OpenMP inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/guarantee.h"
#include "ration/control/levels.h"
#include "ration/control/renyi_budget.h"
#include "ration/control/renyi_rule.h"

namespace ration {

// Levels at once, twice, ... the curve of a budget, or at the budgets listed.
Levels renyi_levels(const Budget& increment, std::span<const Order> orders);
Levels renyi_levels(std::span<const Budget> listed, std::span<const Order> orders);

struct RenyiReading {
  std::uint64_t level;
  Bound epsilon;  // of the level, at the delta asked for; infinite beyond the last level
  Guarantee guarantee;
};

// Of everybody at once: each step is charged at its worst case.
class RenyiOdometer {
 public:
  RenyiOdometer(std::vector<Order> orders, Levels levels)
      : RenyiOdometer(std::move(orders), std::move(levels), {}) {}
  // From totals per order, as `totals` returns them; empty for a fresh start.
  RenyiOdometer(std::vector<Order> orders, Levels levels, std::vector<Units> totals);

  // The level that will hold after the step. Ask before running it, then charge it.
  std::uint64_t level_after(const Step& step);
  void charge(const Step& step) { spent_ = after(step); }

  RenyiReading spent(Delta delta) const;
  std::span<const Units> totals() const { return spent_; }
  std::span<const Order> orders() const { return orders_; }
  const Levels& levels() const { return levels_; }

 private:
  std::vector<Units> after(const Step& step);

  std::vector<Order> orders_;
  Levels levels_;
  std::vector<Units> spent_;
  RenyiRules rules_;
};

// Of every person: what each has spent is private, and so is their level.
class IndividualRenyiOdometer {
 public:
  IndividualRenyiOdometer(std::size_t people, std::vector<Order> orders, Levels levels);
  // From totals, people x orders.
  IndividualRenyiOdometer(std::vector<Order> orders, Levels levels, std::vector<Units> totals,
                          std::uint64_t steps);

  // As IndividualRenyiFilter::admit in what is refused; then nobody is charged.
  void levels_after(const Step& step, std::span<const float> norms, std::span<std::uint64_t> out);
  void levels_after(const Step& step, std::span<const double> norms, std::span<std::uint64_t> out);
  void charge(const Step& step, std::span<const float> norms);
  void charge(const Step& step, std::span<const double> norms);

  RenyiReading spent(std::size_t person, Delta delta) const;
  std::span<const Units> totals() const { return spent_; }
  std::span<const Order> orders() const { return orders_; }
  const Levels& levels() const { return levels_; }
  std::size_t people() const { return spent_.size() / orders_.size(); }
  std::uint64_t steps() const { return steps_; }

 private:
  template <class Real, class Use>
  void each(const Step& step, std::span<const Real> norms, const Use& use);

  std::vector<Order> orders_;
  Levels levels_;
  std::vector<Units> spent_;  // people x orders
  std::uint64_t steps_;
  RenyiRules rules_;
};

}  // namespace ration
