// The accountants behind compose(): each has at_delta, the smallest eps at a delta, and at_epsilon,
// the smallest delta at an eps, that it can show for the plans it covers. Pure functions.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "ration/base/bound.h"
#include "ration/compose/compose.h"
#include "ration/numeric/interval.h"

// Gaussian accounting in closed form: exact for plans in which everybody takes part.
namespace ration::gaussian {

bool covers(const Plan& plan);  // no subsampling
Bound total_mu(const Plan& plan);
Privacy at_delta(const Plan& plan, Delta delta);
Privacy at_epsilon(const Plan& plan, Epsilon epsilon);

}  // namespace ration::gaussian

// One step of the subsampled Gaussian in closed form: what the composition methods are slowest at.
//
// With a = e^eps and a' = 1 + (a - 1)/rate the sampling takes out a factor (remove),
//     H_a(P||Q) = rate H_a'(N(1,s^2) || N(0,s^2)),
// and likewise for add. docs/math/contour.md, "One step"
namespace ration::single_step {

bool covers(const Plan& plan);
Privacy at_delta(const Plan& plan, Delta delta);
Privacy at_epsilon(const Plan& plan, Epsilon epsilon);

}  // namespace ration::single_step

// The contour accountant: tight (eps, delta) of any plan, certified, at any delta.
//
//     delta(eps) = 1/pi Int_0^inf Re[ exp(K(z) - eps z) / (z (z+1)) ] dt,  z = tilt + i t,
//
// by the trapezoid rule on a line near the saddle point. Every error is inside the Bound: aliasing
// (by positivity on one side, by Chernoff on the other), truncation, the quadrature of K, rounding.
// Cost does not grow with the number of steps. docs/math/contour.md
namespace ration::contour {

// Whether all noise is normal.
bool covers(const Plan& plan);

// Where neither an ordinary line nor the split of rare losses gets there in a reasonable number of
// points, the Bound is valid but wide, and its upper end is at most Renyi's.
Privacy at_delta(const Plan& plan, Delta delta);
Privacy at_epsilon(const Plan& plan, Epsilon epsilon);

// delta at many eps, best in rising order: neighbours share a line.
std::vector<Bound> delta_curve(const Plan& plan, std::span<const double> epsilons);

}  // namespace ration::contour

// The Fourier accountant, the paper's method: (eps, delta) of any plan from privacy-loss
// distributions on a grid, composed by FFT. Upper and lower ends stay bounds: discretisation, tail,
// wrap-around and rounding error are all inside them. Covers every mechanism.
// docs/math/fourier.md
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

// Renyi accounting of any plan: divergences add up at every order, and the best order gives
// (eps, delta) by the conversion of Canonne, Kamath and Steinke (2020). docs/math/renyi.md
//
// The Bound encloses the best value over real orders from 1 + 1e-6 to 1 + 1e6 (from 1 + 1e-9 to
// 1 + 1e12 when nothing is subsampled), or over the listed orders.
namespace ration::renyi {

// K(z) of the whole plan; the larger of the two directions.
Bound log_moment(const Plan& plan, double z);

Privacy at_delta(const Plan& plan, Delta delta, std::span<const Order> orders = {});
Privacy at_epsilon(const Plan& plan, Epsilon epsilon, std::span<const Order> orders = {});

// From Renyi to (eps, delta), Canonne, Kamath and Steinke (2020), proposition 12: at order 1 + z
//     log delta = z D - z eps + c(z),   c(z) = z log z - (1 + z) log(1 + z),
// convex in z and written without its cancellation at large z.
inline double conversion(double z) { return -z * std::log1p(1 / z) - std::log1p(z); }
inline Bound conversion(const Bound& z) { return -(z * log1p(1 / z)) - log1p(z); }

}  // namespace ration::renyi
