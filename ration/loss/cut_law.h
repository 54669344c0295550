// The law of one step's privacy loss in the direction remove, cut smoothly into a base and an extra
// part and tilted by exp(tilt L), as nodes and weights with a bound for every error:
//
//     E[exp((tilt + i t) L); base or extra] = exp(log_moment) exp(i t centre) phi(t),
//     phi = base + extra,   |phi| <= phi(0) = 1.
//
// Tilts may be negative. Sums of both parts are kept apart, so that an extra part of 1e-40 has its
// own relative accuracy. Values, no state. docs/math/contour.md, "Rare losses"
#pragma once

#include <complex>
#include <vector>

#include "ration/base/bound.h"
#include "ration/loss/envelope.h"

namespace ration {

struct CutLawOptions {
  double tilt;
  double reach;       // largest t
  double digits;      // errors other than rounding are below exp(-digits) of each part
  Band whole, extra;  // the extra band lies within the whole; both the same where there is no base
  bool has_base;
};

struct CutLaw {
  double noise, power;  // power = 1 + tilt
  bool has_base;
  Bound log_moment;                         // of the whole
  double centre, variance;                  // of the whole
  double extra_weight;                      // extra(0)
  std::vector<double> loss, weight, extra;  // L - centre; weights of the whole and of the extra
  std::vector<double> share, density;       // dL/dv; the weight before any cut
  // |phi - sum| <= fixed + linear t, of the whole and of the extra part alone.
  double whole_fixed, whole_linear, extra_fixed, extra_linear;
  // For log_decay: the cuts, how far it may turn, the errors of its sum.
  Band band;
  double widest_angle, decay_error, scale_error, shift_error;
};
CutLaw cut_law(const SubsampledGaussian& mechanism, const CutLawOptions& options);

// K, its derivatives and the extra part's share, to a few digits and without proof: to search by.
struct RoughMoments {
  double k, mean, variance, extra;
};
RoughMoments rough_moments(const SubsampledGaussian& mechanism, double tilt, const Band& whole,
                           const Band& extra);

// P(L above the cut) under Q, and by how much more it is under P: both to relative accuracy, or
// only known to be below exp(log_negligible).
struct LargeMass {
  Bound q, surplus;
};
LargeMass large_mass(const SubsampledGaussian& mechanism, const LossCut& cut,
                     double log_negligible);

// The two parts at t = m step, called for m = 0, 1, 2, ..., points - 1. For speed an error below
// `allowance` may be made, absolute of the surplus, and relative to extra(0) of the extra part.
class CutRotation {
 public:
  CutRotation(const CutLaw& law, double step, std::size_t points, double allowance);
  struct Parts {
    std::complex<double> surplus, extra;  // phi(t) - 1, extra(t)
  };
  Parts at(std::size_t m);
  // The error that was made.
  double error() const { return error_; }

 private:
  const CutLaw& law_;
  double step_, error_ = 0;
  std::vector<std::complex<double>> whole_, extra_;  // at all points, if computed together
  // exp(i angle) - 1, real and imaginary parts: of one step, and up to here.
  std::vector<double> turn_real_, turn_imaginary_, real_, imaginary_;
};

// An upper bound of log |extra(t')| for all t' >= t.
double log_decay(const CutLaw& law, double t);

}  // namespace ration
