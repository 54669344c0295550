// One vertical line of the contour accountant for everybody at once: the log-moments of every
// mechanism along z = tilt + i t are computed once, and a person's are a sum of rows.
// docs/math/individual.md
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "ration/individual/row_table.h"
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

}  // namespace ration
