// The Fourier accountant, the paper's method: (eps, delta) of any plan from privacy-loss
// distributions on a grid, composed by FFT. Upper and lower ends stay bounds: discretisation, tail,
// wrap-around and rounding error are all inside them. Covers every mechanism. Pure functions.
// docs/math/fourier.md
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ration/compose/compose.h"

namespace ration::fourier {

inline constexpr double kLeastAccuracy = 1e-12, kMostAccuracy = 1e6;

struct Options {
  double accuracy = kDefaultAccuracy;  // width of eps, absolute
  std::optional<double> grid = {};     // if given: this grid, whatever accuracy comes of it
  int rounds = 6;                      // how often a grid may be refined
};

// Grid and window are chosen such that eps, or the eps at which delta is reached, is known to the
// accuracy asked for. Refuses an accuracy that would need more than 2^23 points, and a given delta
// below 1e-250; a delta that comes out smaller has a Bound that starts at 0.
Privacy at_delta(const Plan& plan, Delta delta, const Options& options = {});
Privacy at_epsilon(const Plan& plan, Epsilon epsilon, const Options& options = {});

// delta at many eps, best in order: neighbours share a composition.
std::vector<Bound> delta_curve(const Plan& plan, std::span<const double> epsilons,
                               const Options& options = {});

}  // namespace ration::fourier
