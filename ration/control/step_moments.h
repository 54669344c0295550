// Moments of the loss of a step, along a line of frequencies: what a row of Fourier
// coefficients is multiplied by. docs/math/tight_filter.md, "Computing it, with every error"
//
//     M_k = E exp((tilt - i k frequency) L)^steps,   L = log dP/dQ under P of one step.
//
// Values, no state.
#pragma once

#include <complex>
#include <cstddef>

#include "ration/loss/tilted_law.h"
#include "ration/mechanism/mechanism.h"

namespace ration {

// Of one step. tilt and frequency have few bits: frequency * k is exact for k <= count.
class StepMoments {
 public:
  struct Line {
    double tilt, frequency;
    std::size_t count;  // frequencies 0 .. count - 1
  };
  StepMoments(const SubsampledGaussian& step, Direction direction, const Line& line);

  struct Value {
    std::complex<double> value;
    double error;  // of its modulus, absolute
  };
  // E exp((tilt - i k frequency) L)^steps
  Value power(std::size_t k, double steps) const;

  // At least M_0 of so many steps.
  double mass_up(double steps) const;
  double variance() const { return law_.variance; }
  const Bound& log_moment() const { return law_.log_moment; }

 private:
  TiltedLaw law_;
  double frequency_;
  LogPhi log_phi_;
};

}  // namespace ration
