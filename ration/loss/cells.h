// The law of one mechanism's privacy loss, cut into cells at equidistant losses: how likely each
// cell is, and how likely it is under the other distribution. Everything that a discretisation
// needs, certified. Pure functions. docs/math/fourier.md
#pragma once

#include <vector>

#include "ration/base/bound.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

struct Cell {
  Bound p = {}, r = {};  // how likely, under the law of the loss and under the other
  Bound loss = {};       // log(p/r), narrower than p and r can tell
};

// cell[0] holds the losses up to edge 0, cell[i] those between edges i-1 and i, and the last cell
// everything above that is finite; edge i is offset + (first + i) width. The offset is such that
// where most of the law is (almost) one atom, it lies on an even edge.
struct Cells {
  double offset = 0;
  double width = 0;
  double first = 0;
  std::vector<Cell> cell = {};
  double edge_error = 0;  // cells end this close to where they should
  Bound infinite = {};    // probability of an infinite loss
};

struct CellOptions {
  double width;               // a number of few bits, so that multiples of it are exact
  double tail;                // the outer cells together are about this unlikely, or less
  bool through_zero = false;  // no offset
};
// The first edge and the last are even. Refuses a width that would need more
// than 2^25 cells.
Cells cells_of(const Mechanism& mechanism, Direction direction, const CellOptions& options);

// Between which losses those cells lie.
Bound losses_of(const Mechanism& mechanism, Direction direction, double tail);

}  // namespace ration
