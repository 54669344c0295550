// One vertical line of the contour accountant, in one direction: a table of log-moments that
// answers delta(eps) for every eps. Values, no state. docs/math/contour.md
#pragma once

#include <vector>

#include "ration/base/bound.h"
#include "ration/loss/tilted_law.h"
#include "ration/mechanism/mechanism.h"

namespace ration::contour {

// kDigits: aliasing and truncation are kept below exp(-kDigits) = 7e-13 of delta.
inline constexpr double kDigits = 28;
// The error of log phi, of all steps together, that computing points together may make.
inline constexpr double kFastError = 2e-10;

struct LineOptions {
  double tilt;             // > 0; best near the saddle point
  double further_tilt;     // > tilt; for Chernoff's bound far to the right
  double period;           // of the aliasing: step = 2 pi / period
  double most_work = 1e8;  // points times nodes, beyond which the line is refused
};

class Line {
 public:
  // Throws Error where the integral needs too many points.
  Line(const Plan& plan, Direction direction, const LineOptions& options);

  Bound delta(double epsilon) const;
  // log delta and its slope, in plain doubles, for searching.
  struct Estimate {
    double log_delta, slope;
  };
  Estimate estimate(double epsilon) const;

  double mean() const { return centre_; }

 private:
  struct Sum {
    double value, slope, error;
  };
  Sum sum(double epsilon) const;
  double log_alias(double epsilon) const;
  double reach_for(const Plan& plan, Direction direction, double most_work) const;

  double tilt_, step_, log_tail_ = 0;
  Bound log_moment_{};
  double centre_ = 0, centre_error_ = 0;
  double further_tilt_, further_moment_;  // Chernoff's bound for the right side of the aliasing
  LogPhi log_phi_;
};

}  // namespace ration::contour
