// What a level of a potential must be raised by, so that theorem 3 holds between it and the level
// below for every step that is paid for, at every real y (docs/math/tight_filter.md, "A level").
// However the coefficients were found, they are sound with the errors given here.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ration/control/linear_potential.h"
#include "ration/control/moment_batch.h"
#include "ration/numeric/fft_batch.h"

namespace ration {

// Where a level is looked at: so many points of a window, and room for what eight entries make of
// it there.
struct PotentialGrid {
  explicit PotentialGrid(std::size_t n) : points(n), transform(n), data(n * 2 * kFftLanes) {}

  std::size_t points;
  FftBatch transform;
  AlignedDoubles data;
};

// At least the sum of |c_k| over both signs of k.
double sum_of_moduli(const Potential& level);

// Errors of `upper`, so that conditions (1) and (2) hold for all entries and for prices in between,
// and that the level is convex. Infinite or not a number where that cannot be had.
PotentialErrors errors_of_level(const Potential& lower, const Potential& upper,
                                const std::vector<MomentBatch>& entries,
                                const PotentialPlace& place, PotentialGrid& grid);

// Slack of a level whose G'' - G' may be so far below zero, times exp(tilt y).
void raise_for_convexity(PotentialErrors& errors, double missing, const PotentialPlace& place);

}  // namespace ration
