// The recursion of the tight filter in one direction: upper bounds of the least potentials V_b of a
// price list, for b units left, as trigonometric polynomials. docs/math/tight_filter.md,
// "Computing it, with every error"
//
//     exp(tilt y) v_b(y) <= S_b(y) + E_b  for all real y,
//     S_b(y) = Re c_0 + 2 sum_{k >= 1} Re(c_k exp(i k frequency y)),
//
// v_b(eps) being the largest delta that an adversary reaches in this direction against anybody with
// b units left. E_b is the sum of what every error can come to. Values, no state.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "ration/base/bound.h"
#include "ration/control/price_list.h"

namespace ration {

// Parts of E_b, by what they come from.
struct PotentialErrors {
  double quadrature = 0;  // of the moments of each step
  double rounding = 0;    // of transforms and products
  double between = 0;     // what lies between the points at which the maximum is taken
  double cut = 0;         // frequencies that are left out

  double sum() const { return quadrature + rounding + between + cut; }
};

struct Potential {
  std::uint64_t units = 0;  // b
  std::vector<std::complex<double>> coefficients = {};
  PotentialErrors errors = {};
};

// Where to work: any choice is sound, a good one has small errors.
struct PotentialPlace {
  double tilt;            // few bits, so that sums with it are exact
  double frequency;       // few bits: 2 pi / window; what lies a window apart is added up
  double allowed;         // what E at `budget` should come to; the grid is as coarse as this allows
  bool certified = true;  // else errors are not looked at, and the grid is coarse: for searching
};

// The place for a delta near `delta` at an eps near `epsilon` with `budget` units: a search in
// plain doubles (potential_place.cc).
struct PlaceChoice {
  PotentialPlace place;
  double far_tilt;  // at which Chernoff's bound of what lies a window to the right is best
};
PlaceChoice choose_place(const PriceList& list, Direction direction, std::uint64_t budget,
                         double delta, double epsilon);

// The V_b at budgets from the end of the list's near end up to `budget`, each at most 0.2% or one
// unit above the one before; `budget` itself is the last. With last_lots of 0 from 0 on.
// The grid has at most 2^16 points: what E comes to then is for the caller to judge.
std::vector<Potential> least_potentials(const PriceList& list, Direction direction,
                                        std::uint64_t budget, const PotentialPlace& place);

// An upper bound of v_b(epsilon), and the share of it that errors are.
struct PotentialValue {
  double delta = 1;
  PotentialErrors errors = {};  // parts of delta
};
// 1, and errors of 1, where nothing can be shown.
PotentialValue value_at(const Potential& potential, const PotentialPlace& place, double epsilon);

}  // namespace ration
