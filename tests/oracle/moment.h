// The moments E_Q[(P/Q)^e] of the subsampled Gaussian by means that share nothing with the library:
// the binomial sum at whole orders, and Arb's own adaptive integration of complex functions.
#pragma once

#include "tests/oracle/arb.h"

namespace ration::oracle {

struct MomentCase {
  double noise, rate;
};

// E_Q[(P/Q)^n] = sum_k C(n,k) (1-q)^(n-k) q^k exp(k(k-1) / (2 s^2)), n >= 2.
Arb whole_moment(const MomentCase& c, int n);

// E_Q[(P/Q)^e] for e = 1 + z (remove) or e = -z (add).
Arb moment(const MomentCase& c, double z, bool remove);

}  // namespace ration::oracle
