// A plan in one direction, composed on a grid by FFT: delta(eps) of its dominating version and of
// its dominated one, which enclose the truth. Values, no state. docs/math/fourier.md
#pragma once

#include <algorithm>
#include <vector>

#include "ration/compose/compose.h"
#include "ration/compose/fourier_transform.h"
#include "ration/compose/saddle.h"
#include "ration/mechanism/mechanism.h"

namespace ration::fourier {

// The losses of every mechanism of a plan, on a grid, in one version.
class GridPlan {
 public:
  void add(Pld law, double count);

  const std::vector<Pld>& laws() const { return laws_; }
  const std::vector<double>& counts() const { return counts_; }

  // The probability of a loss beyond the grid at any step, at most.
  double at_infinity() const;
  // No finite loss of the whole plan is larger.
  double largest_loss() const;
  // What losses of the whole plan may be off by.
  double slack() const;
  // Up to which tilt to search: for small losses it takes a large one to tell them apart.
  double largest_tilt() const { return std::max(kFarTilt, 1000 / (farthest_ + 1e-12)); }
  // K, K' and K'' at any real z, in plain doubles.
  LogMoment at(double z) const;

 private:
  std::vector<Pld> laws_;
  std::vector<double> counts_;
  double farthest_ = 0;
};

// The dominating version on a coarse grid: good enough to find tilts by.
struct Sketch {
  GridPlan upper;
  double certainly_infinite;  // the probability of an infinite loss, at least
};
Sketch sketch_of(const Plan& plan, Direction direction, double tail);

class Enclosure {
 public:
  struct Options {
    double tilt;  // near the saddle point of the eps of interest
    double step;  // of the grid
    double tail;  // of one step may lie beyond it
  };
  // Refuses a step that would need more than 2^23 points.
  Enclosure(const Plan& plan, Direction direction, const Options& options, const Sketch& sketch);

  Bound delta(double epsilon) const { return {.lower = lower(epsilon), .upper = upper(epsilon)}; }
  double upper(double epsilon) const;
  double lower(double epsilon) const;
  ErrorBudget budget(double epsilon) const;

  // The probability of an infinite loss, at least.
  double certainly_infinite() const;
  // The largest loss that is told apart.
  double top() const;

 private:
  // Losses may be off by the slack: a smaller eps for the upper end, a larger one for the lower.
  struct Version {
    ComposedLaw law;
    double offset, slack, at_infinity, largest_loss;
  };
  struct Parts {
    Evaluation finite;
    double at_infinity;
  };
  Parts above(double epsilon) const;
  Parts below(double epsilon) const;

  double offset_ = 0;
  Window window_{};
  std::vector<Version> versions_;  // dominating, dominated
};

}  // namespace ration::fourier
