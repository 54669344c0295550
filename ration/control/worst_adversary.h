// What a price list promises: a delta that nobody who chooses steps in view of all earlier outputs
// exceeds against a person, for every budget up to a largest one and every eps. It is what the
// tight filter guarantees (docs/math/tight_filter.md, theorems 1 and 3).
//
// Upper ends hold for everybody and whatever the adversary does, numerical errors included; they
// are itemised. Lower ends are what steps at the clip bound alone reach, so that a Bound is as wide
// as what adaptivity and prices cost. Both directions. Values, no state: const calls are safe from
// several threads. docs/math/tight_filter.md, "Computing it, with every error"
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/control/linear_potential.h"
#include "ration/control/price_list.h"

namespace ration {

// What errors add to an upper end at most, as parts of delta.
struct AdversaryErrors {
  PotentialErrors parts;
  double wrap = 0;  // what lies a window away: periodic functions are larger

  double sum() const { return parts.sum() + wrap; }
  // Without slack, which is part of what a list costs: it would be there in exact arithmetic, too.
  double numerical() const { return sum() - parts.slack; }
};

// What a budget is worth at some delta.
struct BudgetWorth {
  Units units;
  double epsilon;  // nobody who begins with so many units loses more
};

// So many steps at the clip bound.
Plan worst_steps(const PriceList& list, std::uint64_t steps);

class WorstAdversary {
 public:
  static constexpr double kMostError = 0.05;  // of delta
  static constexpr std::uint64_t kMostSteps = 100'000'000;

  // For budgets of up to so many whole steps. The grid is laid out for this delta at the full
  // budget; other deltas, and budgets far below, have larger errors. Refuses, with the errors and
  // their cause, a list whose numerical errors at `steps` and `delta` exceed kMostError of delta,
  // no more steps than the list's last ones, and more than 10^8.
  WorstAdversary(const PriceList& list, std::uint64_t steps, Delta delta);

  const PriceList& list() const { return list_; }
  Units budget() const { return steps_ * PriceList::kWholeStep; }

  // delta at this eps for whoever begins with `units`; errors above kMostError of it are refused.
  // Between levels the next larger one counts. Near the end, where only whole steps are paid for,
  // it is the tight accountant's.
  Bound delta(Epsilon epsilon, Units units) const;

  // The least eps at this delta: upper is one whose delta(eps, units).upper is at most `delta`.
  Bound epsilon(Delta delta, Units units) const;

  // The most units, of those at levels, with delta(epsilon, units).upper <= delta; 0 if none.
  Units largest_budget(Epsilon epsilon, Delta delta) const;

  // Levels at or above near_the_end(), each with an eps whose delta is at most this one, where it
  // can be shown; smaller budgets are worth no more than larger ones.
  std::vector<BudgetWorth> worth(Delta delta) const;

  // Of the upper end of delta(epsilon, units), in the direction that decides.
  AdversaryErrors errors(Epsilon epsilon, Units units) const;

 private:
  struct OneWay {
    Direction direction;
    PotentialPlace place;
    std::vector<Potential> kept;
    double far_tilt = 0;    // of the bound for what lies a window to the right
    double far_growth = 0;  // log-moment at that tilt, the most a whole step buys
  };
  struct Found {
    double delta;
    AdversaryErrors errors;
  };
  Found upper_in(const OneWay& way, double epsilon, Units units) const;
  Found upper(double epsilon, Units units) const;
  double most_epsilon() const { return std::max(4 * expected_epsilon_, 1.0); }
  double least_epsilon(double delta, Units units, double most) const;
  OneWay one_way(Direction direction, double delta) const;

  PriceList list_;
  std::uint64_t steps_;
  double expected_epsilon_ = 0;
  std::vector<OneWay> ways_;
};

}  // namespace ration
