// One vertical line of the contour accountant for everybody at once: the log-moments of every
// mechanism along z = tilt + i t are computed once, and a person's are a sum of rows. And one
// person's eps on such a line: found in plain doubles, then proved.
// docs/math/individual.md
#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "ration/base/bound.h"
#include "ration/individual/row_table.h"
#include "ration/individual/tilt_ladder.h"
#include "ration/individual/used_mechanisms.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

struct LineShape {
  double tilt;
  double period;  // of the aliasing: the points are 2 pi / period apart
  int points;
};

class LineTable {
 public:
  // Rows only for the mechanisms that are `used` (one flag per mechanism). `steps` is the most that
  // anybody took, for which the rows have to be sharp.
  LineTable(std::span<const SubsampledGaussian> mechanisms, Direction direction,
            const LineShape& shape, double steps, std::span<const unsigned char> used);

  // One person on this line: delta(eps) up to the factor exp(K - tilt eps), for any eps.
  class Person {
   public:
    Person(const LineTable& table, const Usage& usage, double near_epsilon);

    // log delta and its slope, in plain doubles.
    struct Estimate {
      double log_delta, slope;
    };
    Estimate estimate(double epsilon) const;
    // Whether delta(eps) <= delta is proved, and whether delta(eps) >= delta is, when the aliases
    // are at most exp(log_alias) together.
    bool at_most(double epsilon, double log_delta) const;
    bool at_least(double epsilon, double log_delta, double log_alias) const;

   private:
    struct Sum {
      double value, slope, error;
    };
    Sum sum(double epsilon) const;

    const LineTable& table_;
    double base_;  // the eps at which the terms are held
    double moment_low_, moment_up_, centre_, tail_;
    double first_, size_, error_;  // the term at t = 0; the sum of moduli; its error
    std::vector<std::complex<double>> terms_;
  };

  const LineShape& shape() const { return shape_; }
  double step() const { return step_; }

 private:
  LineShape shape_;
  double step_;
  RowTable rows_;
  std::vector<std::complex<double>> weight_;  // 1 / (z (z+1)) at the points
};

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

// Refers to all that it is built from.
class LineSolver {
 public:
  LineSolver(const LineTable& table, const Usage& usage, const TiltLadder& ladder,
             const MomentWindow& window, double log_delta);

  // Whether the person's eps is proved to be at most this.
  bool at_most(double epsilon) const { return line_.at_most(epsilon, log_delta_); }
  // A Bound of eps, as narrow as this line proves.
  Bound epsilon() const;

 private:
  double estimate() const;
  bool at_least(double epsilon) const;
  double least_proved(Bound range) const;
  double most_proved(Bound range) const;
  double log_alias(double epsilon) const;

  const LineTable& table_;
  const TiltLadder& ladder_;
  const MomentWindow& window_;
  double log_delta_, renyi_;
  LineTable::Person line_;
};

}  // namespace ration
