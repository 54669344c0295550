// delta(eps) of T steps of the subsampled Gaussian at 256 bits: the contour integral in Arb, on a
// line, with nodes and steps chosen by brute force. Meant for plans that converge well.
#pragma once

#include <vector>

#include "tests/oracle/arb.h"
#include "tests/oracle/moment.h"

namespace ration::oracle {

class Composition {
 public:
  // `tilt` should be near (not at) the saddle point for the delta of interest.
  Composition(const MomentCase& step, double steps, bool remove, double tilt, double delta);

  Arb delta(double epsilon) const;

 private:
  double tilt_, step_;
  std::vector<Arb> real_, imaginary_;  // of the logarithm of the moment at tilt + i m step
};

}  // namespace ration::oracle
