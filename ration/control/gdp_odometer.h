// GDP odometers: say what was spent so far, as the first of the levels B_1 < B_2 < ... fixed in
// advance that covers it. What is guaranteed, for each level: all outputs up to the last step at
// which it held are B-GDP together. An odometer halts nobody. docs/math/filters.md
// For one caller at a time; OpenMP inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/guarantee.h"
#include "ration/control/budget.h"
#include "ration/control/levels.h"

namespace ration {

// Levels at mu^2 = once, twice, ... that of a budget, or at the budgets listed.
Levels gdp_levels(const Budget& increment);
Levels gdp_levels(std::span<const Budget> listed);

struct GdpReading {
  std::uint64_t level;
  Bound mu;  // of the level; infinite beyond the last one
  Guarantee guarantee;
};

// Of everybody at once: each step is charged at its worst case.
class GdpOdometer {
 public:
  explicit GdpOdometer(Levels levels, Units spent = 0);

  // The level that will hold after the step. Ask before running it, then charge it.
  std::uint64_t level_after(Mu mu) const { return after(square_up(mu)); }
  std::uint64_t level_after(const Step& step) const;
  void charge(Mu mu) { spent_ = add_saturated(spent_, square_up(mu)); }
  void charge(const Step& step);

  GdpReading spent() const;
  Units total() const { return spent_; }
  const Levels& levels() const { return levels_; }

 private:
  std::uint64_t after(Units charge) const;

  Levels levels_;
  Units spent_;
};

// Of every person: what each has spent is private, and so is their level.
class IndividualGdpOdometer {
 public:
  IndividualGdpOdometer(std::size_t people, Levels levels)
      : IndividualGdpOdometer(std::move(levels), std::vector<Units>(people), 0) {}
  IndividualGdpOdometer(Levels levels, std::vector<Units> spent, std::uint64_t steps);

  // As IndividualGdpFilter::admit in what is refused; then nobody is charged.
  void levels_after(const Step& step, std::span<const float> norms,
                    std::span<std::uint64_t> out) const;
  void levels_after(const Step& step, std::span<const double> norms,
                    std::span<std::uint64_t> out) const;
  void charge(const Step& step, std::span<const float> norms);
  void charge(const Step& step, std::span<const double> norms);

  GdpReading spent(std::size_t person) const;
  std::span<const Units> totals() const { return spent_; }
  const Levels& levels() const { return levels_; }
  std::size_t people() const { return spent_.size(); }
  std::uint64_t steps() const { return steps_; }

 private:
  template <class Real, class Use>
  void each(const Step& step, std::span<const Real> norms, const Use& use) const;

  Levels levels_;
  std::vector<Units> spent_;
  std::uint64_t steps_;
};

}  // namespace ration
