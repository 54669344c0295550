// Privacy-loss distributions on an equidistant grid, in two versions that enclose the truth:
// `upper` dominates the mechanism (every delta(eps) of every composition is at least the true one)
// and `lower` is dominated by it. Pure functions. docs/math/fourier.md
//
// Accuracy: both keep the mean of exp(-loss) and differ from the truth by at most the variance that
// a grid adds or takes away, of the order of step^2 and not of step; an outcome of its own
// probability whose loss lies off the grid costs the lower version up to a step.
#pragma once

#include <vector>

#include "ration/loss/cells.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

struct Pld {
  double offset = 0;
  double step = 0;
  double first = 0;  // mass[i] has the loss offset + (first + i) step
  std::vector<double> mass = {};
  double at_infinity = 0;  // probability of an infinite loss, or one beyond the grid
  double slack = 0;        // losses are right but for this, upwards and downwards: rounding
};

struct PldBounds {
  Pld upper, lower;
};

struct PldOptions {
  double step;                // taken a little smaller where its multiples would not be exact
  double tail = 1e-30;        // what is about as unlikely as this may lie outside the grid
  bool through_zero = false;  // without an offset, so that unlike mechanisms share a grid
};
PldBounds pld_of(const Mechanism& mechanism, Direction direction, const PldOptions& options);

}  // namespace ration
