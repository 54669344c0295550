// One person's eps on a shared line: found in plain doubles, then proved. Values, no state.
// docs/math/individual.md
#pragma once

#include <array>
#include <span>

#include "ration/base/bound.h"
#include "ration/individual/line_table.h"
#include "ration/individual/tilt_ladder.h"

namespace ration {

// The rung with the least Renyi bound of eps, from upper bounds of the moments at the rungs from
// `first` on. The eps is one that holds.
struct BestRung {
  std::size_t rung;
  double epsilon;
};
BestRung best_rung(const TiltLadder& ladder, std::span<const double> moments, std::size_t first,
                   double log_delta);

// A person's moments around the rung of their line.
struct MomentWindow {
  std::size_t first = 0;
  std::array<double, TiltLadder::kWindow> moments = {};
};

// Who is looked for where: upper bounds of somebody's moments in this direction, and of those of
// removing them, which bound the aliases on the left.
struct Chernoff {
  const TiltLadder& ladder;
  const MomentWindow& window;
  const TiltLadder& removing;
  const MomentWindow& removed;
};

// Refers to all that it is built from.
class LineSolver {
 public:
  LineSolver(const LineTable& table, const Mixture& steps, const Chernoff& chernoff,
             double log_delta, double decay);

  // Whether the person's eps is proved to be at most this.
  bool at_most(double epsilon) const;
  // A Bound of eps, as narrow as this line proves.
  Bound epsilon() const;

 private:
  bool at_least(double epsilon) const;
  double estimate() const;
  double least_proved(Bound range) const;
  double most_proved(Bound range) const;
  double log_known_alias(double epsilon) const;
  double log_alias(double epsilon) const;

  double tilt_, period_;
  Chernoff chernoff_;
  double log_delta_, renyi_;
  LineTable::Person line_;
};

}  // namespace ration
