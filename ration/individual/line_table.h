// One vertical line of the contour accountant for everybody at once: the log-moments of every
// law along z = tilt + i t are computed once, and a person's are a sum of rows.
// docs/math/individual.md
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "ration/individual/mixtures.h"
#include "ration/individual/row_table.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

struct LineShape {
  double tilt;
  double period;  // of the aliasing: the points are 2 pi / period apart
  int points;
};

// What noise of variance v adds to delta is half the integral, over v' from 0 to v, of the density
// of the loss with noise v'. That integral is at least kLeast v times the density with noise kPart
// v; and at most 2 v times the density with noise v, or v times kMostPart of the one and kMostWhole
// of the other, which is sharper where the line is long enough for the part. All this but for
// factors exp(+-v/8). docs/math/individual.md, "Lines that are short"
struct AddedNoise {
  static constexpr double kPart = 0.4, kLeast = 0.83, kMostPart = 1.12, kMostWhole = 0.23;
};

class LineTable {
 public:
  // Rows only for the laws that are `used` (one flag per law), and for pairs of these. `steps` is
  // the most that anybody took, for which the rows have to be sharp.
  LineTable(const Laws& laws, Direction direction, const LineShape& shape, double steps,
            std::span<const unsigned char> used);

  // Pairs whose laws differ by too much to be mixed on this line.
  std::span<const unsigned char> blunt() const { return blunt_; }

  // One person on this line: delta(eps) up to the factor exp(K - tilt eps), for any eps. Where the
  // integrand falls by less than exp(-decay) along the line, as much noise is added as that takes:
  // this only raises delta, and by how much is known.
  class Person {
   public:
    Person(const LineTable& table, const Mixture& steps, double near_epsilon, double decay);

    // The sum over the points is delta plus aliases, which are not negative. Its logarithm and
    // slope, in plain doubles; and how far it may be off, relative.
    struct Estimate {
      double log_sum, slope, error;
    };
    Estimate estimate(double epsilon) const;
    // Whether the sum is proved to be at most, or at least, exp(log_size).
    bool at_most(double epsilon, double log_size) const;
    bool at_least(double epsilon, double log_size) const;
    // The variance of the noise that was added, and logs of bounds of what it is to delta
    // (-infinity without it).
    double added() const { return added_; }
    struct LogRange {
      double low, high;
    };
    LogRange log_added(double epsilon) const;

   private:
    // A sum over the points, from its term at t = 0 on; the sum of moduli, and the error of all
    // terms together.
    struct Series {
      double first = 0, size = 0, error = 0;
      std::vector<std::complex<double>> terms = {};
    };
    struct Sum {
      double value, slope, error;
    };
    Sum sum(const Series& series, double epsilon) const;

    const LineTable& table_;
    double base_;  // the eps at which the terms are held
    double moment_low_, moment_up_, centre_;
    Series delta_ = {};
    double tail_;  // beyond the line
    // With noise: the density of the loss with all of it, and with a part of it.
    double added_ = 0, whole_tail_ = 0, part_tail_ = 0;
    Series whole_ = {}, part_ = {};
  };

  const LineShape& shape() const { return shape_; }
  double step() const { return step_; }

 private:
  void fill_law(std::size_t law, const Laws& laws, Direction direction, double steps);
  void align(const LawPair& pair);
  void fill_pair(std::size_t at, const LawPair& pair);

  LineShape shape_;
  double step_;
  RowTable rows_, margins_;
  std::vector<unsigned char> blunt_;
  std::vector<std::complex<double>> weight_;  // 1 / (z (z+1)) at the points
};

}  // namespace ration
