// The recursion of the tight filter in one direction: potentials F_b of a price list that are
// linear in what is left between levels (docs/math/tight_filter.md, theorem 3). Level n, at a_n
// whole steps, is a trigonometric polynomial S and a constant E,
//
//     G(y) = exp(-tilt y) (S(y) + E),
//     S(y) = Re c_0 + 2 sum_{k >= 1} Re(c_k exp(i k frequency y)),
//
// and F_b(eps) is at least the delta that anybody reaches in this direction against a person with b
// units left. E is what it takes for the theorem's conditions to hold at every real y; its parts
// say why. Values, no state.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "ration/base/bound.h"
#include "ration/control/price_list.h"

namespace ration {

// Parts of E, by what they come from.
struct PotentialErrors {
  double quadrature = 0;  // of the moments of each step
  double rounding = 0;    // of transforms and products
  double between = 0;     // what lies between the points at which conditions are looked at
  double cut = 0;         // frequencies that the first level leaves out
  double slack = 0;       // what conditions miss at the points themselves

  double numerical() const { return quadrature + rounding + between + cut; }
  double sum() const { return numerical() + slack; }
};

struct Potential {
  std::uint64_t steps = 0;  // whole steps that are left
  std::vector<std::complex<double>> coefficients = {};
  PotentialErrors errors = {};
};

// Where to work: any choice is sound, a good one has small errors.
struct PotentialPlace {
  double tilt;            // few bits, so that sums with it are exact
  double frequency;       // few bits: 2 pi / window; what lies a window apart is added up
  double epsilon;         // at the last level, where it matters
  double delta;           // there: less is not asked for
  bool certified = true;  // else conditions are not looked at, and levels are few: for searching
};

// The place for a delta near `delta` at an eps near `epsilon` with so many steps left: a search in
// plain doubles (potential_place.cc).
struct PlaceChoice {
  PotentialPlace place;
  double far_tilt;  // at which Chernoff's bound of what lies a window to the right is best
};
PlaceChoice choose_place(const PriceList& list, Direction direction, std::uint64_t steps,
                         double delta, double epsilon);

// The levels from the list's last_steps() up to `steps`, which is larger.
std::vector<Potential> linear_potentials(const PriceList& list, Direction direction,
                                         std::uint64_t steps, const PotentialPlace& place);

// An upper bound of G(epsilon), and the share of it that errors are.
struct PotentialValue {
  double delta = 1;
  PotentialErrors errors = {};  // parts of delta
};
// 1, and errors of 1, where nothing can be shown.
PotentialValue value_at(const Potential& potential, const PotentialPlace& place, double epsilon);

}  // namespace ration
