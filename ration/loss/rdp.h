// Renyi differential privacy of one mechanism, at any real order, certified. Pure functions.
//
// What is computed is the log-moment of the privacy loss L, from which everything follows:
//     K(z) = log E[exp(z L)] = z D_{1+z},  z > 0;
// K is convex in z and adds up over a composition. docs/math/renyi.md
#pragma once

#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/mechanism/mechanism.h"

namespace ration::rdp {

// Orders that are searched: 1 + kSmallestTilt to 1 + kLargestTilt.
inline constexpr double kSmallestTilt = 1e-6, kLargestTilt = 1e6;

// Less noise than this is refused with subsampling: the quadrature would need millions of nodes.
inline constexpr double kLeastNoise = 0.01;

// D_order(P||Q) for `remove`, D_order(Q||P) for `add`; the larger of the two is the RDP.
Bound divergence(const Mechanism& mechanism, Order order, Direction direction);
Bound divergence(const Mechanism& mechanism, Order order);

// K(z) as a Bound, and as a plain double for searching; kSmallestTilt <= z <= kLargestTilt.
Bound log_moment(const Mechanism& mechanism, double z, Direction direction);
double log_moment_estimate(const Mechanism& mechanism, double z, Direction direction);

}  // namespace ration::rdp
