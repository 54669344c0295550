// What a price list promises: the largest delta that anybody who chooses steps in view of all
// earlier outputs can reach against a person, for every budget up to a largest one and every eps.
// It is what the tight filter guarantees (docs/math/tight_filter.md, theorems 1 and 2), and no
// smaller delta would be true of the list.
//
// Upper ends hold for everybody and whatever the adversary does, numerical errors included; they
// are itemised. Lower ends are what steps at the clip bound alone reach, so that a Bound is as wide
// as what adaptivity and prices cost. Both directions. Values, no state: const calls are safe from
// several threads. docs/math/tight_filter.md, "Computing it, with every error"
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/control/least_potential.h"
#include "ration/control/price_list.h"

namespace ration {

// What errors add to an upper end at most, as parts of delta.
struct AdversaryErrors {
  PotentialErrors numerical;
  double wrap = 0;  // what lies a window away: periodic functions are larger

  double sum() const { return numerical.sum() + wrap; }
};

class WorstAdversary {
 public:
  static constexpr double kMostError = 0.05;  // of delta

  // For budgets of up to `budget` units. The grid is laid out for this delta at the full budget;
  // other deltas, and budgets far below, have larger errors. Refuses, with the errors and their
  // cause, a list whose errors at `budget` and `delta` exceed kMostError of delta, a budget of less
  // than one lot, and one of more than 10^8 units.
  WorstAdversary(const PriceList& list, std::uint64_t budget, Delta delta);

  const PriceList& list() const { return list_; }
  std::uint64_t budget() const { return budget_; }

  // delta at this eps for whoever begins with `units`; errors above kMostError of it are refused.
  // Between the budgets that are kept (0.2% apart) the next larger one counts. Near the end, where
  // only steps at the clip bound can be taken, it is the tight accountant's.
  Bound delta(Epsilon epsilon, std::uint64_t units) const;

  // The least eps at this delta: upper is one whose delta(eps, units).upper is at most `delta`.
  Bound epsilon(Delta delta, std::uint64_t units) const;

  // The most units, of those that are kept, with delta(epsilon, units).upper <= delta; 0 if none.
  std::uint64_t largest_budget(Epsilon epsilon, Delta delta) const;

  // Of the upper end of delta(epsilon, units), in the direction that decides.
  AdversaryErrors errors(Epsilon epsilon, std::uint64_t units) const;

 private:
  struct OneWay {
    Direction direction;
    PotentialPlace place;
    std::vector<Potential> kept;
    double far_tilt = 0;    // of the bound for what lies a window to the right
    double far_growth = 0;  // log-moment at that tilt, the most a unit buys
  };
  struct Found {
    double delta;
    AdversaryErrors errors;
  };
  Found upper_in(const OneWay& way, double epsilon, std::uint64_t units) const;
  Found upper(double epsilon, std::uint64_t units) const;
  OneWay one_way(Direction direction, double delta) const;

  PriceList list_;
  std::uint64_t budget_;
  double expected_epsilon_ = 0;
  std::vector<OneWay> ways_;
};

}  // namespace ration
