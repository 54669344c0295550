// The log-moments of the subsampled Gaussian by certified quadrature:
//     remove: log E_Q[(P/Q)^(1+z)],   add: log E_Q[(P/Q)^(-z)],   z > 0.
// Accuracy: about 1e-13 relative, however small the moment. Real is Bound (certified) or double
// (the same computation without its proof, for searching). Pure functions. docs/math/renyi.md
#pragma once

#include "ration/base/bound.h"
#include "ration/loss/integrand.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

template <class Real>
Real log_moment_of(const SubsampledGaussian& mechanism, double z, Direction direction);

// Where the exponent h of the integrand is largest, by iteration; for scaling only.
double highest_point(const Integrand<double>& h, Direction direction);

extern template Bound log_moment_of<Bound>(const SubsampledGaussian&, double, Direction);
extern template double log_moment_of<double>(const SubsampledGaussian&, double, Direction);

}  // namespace ration
