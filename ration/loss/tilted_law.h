// The law of one step's privacy loss L, tilted by exp(tilt L), as nodes and weights: what the
// contour accountant needs to evaluate log-moments along the line z = tilt + i t, with a bound for
// every error. docs/math/contour.md
//
//     E[exp((tilt + i t) L)] = exp(K(tilt)) exp(i t centre) phi(t),
//     phi(t) = sum_n weight_n exp(i t loss_n) up to error(t),   for 0 <= t <= the reach asked for.
//
// Values, no state: a law can be computed once and shared.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

#include "ration/base/bound.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

struct TiltedLaw {
  double tilt = 0;
  Bound log_moment = {};  // K(tilt)
  double centre = 0;      // near K'(tilt)
  double variance = 0;    // near K''(tilt)

  // Of a subsampled Gaussian; empty for a Gaussian, whose phi is exp(-variance t^2 / 2).
  double noise = 0;
  bool remove = true;
  double pull = 0, spread = 0, least_factor = 1;  // of an extrapolated law, below
  std::vector<double> loss = {};                  // L - centre at the nodes
  std::vector<double> weight = {};                // sum to 1
  std::vector<double> share = {};                 // dL/dv at the nodes, without sign

  double fixed_error = 0;   // |phi - sum| <= fixed_error + linear_error t
  double linear_error = 0;  // from rounding
  double widest_angle = 0;  // up to which log_decay may turn
  double decay_error = 0;   // of the sum in log_decay: quadrature, absolute
  double scale_error = 0;   // of the weights together, relative
  double omitted = 0;       // weight of the nodes that were left out
};

struct LawOptions {
  double tilt;
  double reach;   // largest t
  double digits;  // errors other than rounding are below exp(-digits)
};
TiltedLaw tilted_law(const Mechanism& mechanism, Direction direction, const LawOptions& options);

// What lies as far beyond a law as another one lies on this side of it: (1 + c) near - c far, `far`
// having more noise at the same rate. Its density relative to the one of `near`, at the logarithm v
// of the likelihood ratio without sampling, is 1 + c - G exp(-kappa v^2), and never negative.
// docs/math/individual.md, "Between edges"
class Extrapolated {
 public:
  // With the largest c that is at most `times` and keeps the density above a half. Refuses noises
  // more than a factor of sqrt(2) apart, and equal ones.
  Extrapolated(const SubsampledGaussian& near, Noise far, double times);

  const SubsampledGaussian& near() const { return near_; }
  double times() const { return times_; }
  double factor(double v) const { return 1 + times_ - pull_ * std::exp(-kappa_ * v * v); }
  double least() const { return 1 + times_ - pull_; }
  // |factor| is at most most(k) on lines of u where k = spread (Im u)^2.
  double most(double k) const { return 1 + times_ + pull_ * std::exp(k); }
  double pull() const { return pull_; }      // G
  double kappa() const { return kappa_; }    // half the difference of the variances
  double spread() const { return spread_; }  // kappa / near's variance

 private:
  SubsampledGaussian near_;
  double times_, pull_, kappa_, spread_;
};
TiltedLaw tilted_law(const Extrapolated& law, Direction direction, const LawOptions& options);

// Logarithms of characteristic functions at t = m step, m = 0, 1, ..., added up over mechanisms,
// and bounds of their errors.
struct LogPhi {
  std::vector<std::complex<double>> sum;
  std::vector<double> error;
};
// Adds count * log phi. An absolute error of each phi that is below `allowance` may be made, for
// speed.
void add_log_phi(const TiltedLaw& law, double count, double step, LogPhi& to, double allowance = 0);

// An upper bound of log |phi(t')| for all t' >= t: the path of integration is shifted into the half
// plane where exp(i t' L) falls, which bounds it by a function that decreases in t'.
double log_decay(const TiltedLaw& law, double t);

}  // namespace ration
