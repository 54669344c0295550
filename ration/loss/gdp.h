// Gaussian differential privacy: mu, (eps, delta) and the trade-off function, each from the others.
// A mechanism is mu-GDP when it is no easier to tell two neighbouring data sets apart than to tell
// N(0,1) from N(mu,1). Every result is a Bound. Pure functions. docs/math/gdp.md
//
// Accuracy: width at most 1e-10 relative, or 1e-13 absolute, for delta from 1e-300 to 1, mu from
// 1e-8 to 1e4 and eps from 0 to 1e8. Testing: a million random cases against Arb at 256 bits.
#pragma once

#include <span>
#include <vector>

#include "ration/base/bound.h"
#include "ration/base/values.h"

namespace ration::gdp {

struct EpsilonMu {
  AnyEpsilon epsilon;
  Mu mu;
};
struct MuDelta {
  Mu mu;
  Delta delta;
};
struct EpsilonDelta {
  Epsilon epsilon;
  Delta delta;
};
struct Attack {
  Mu mu;
  FalsePositiveRate false_positive_rate;
};

// The smallest delta for which mu-GDP implies (eps, delta)-DP; eps may be negative.
Bound delta(const EpsilonMu& given);
// The smallest eps >= 0 for which mu-GDP implies (eps, delta)-DP.
Bound epsilon(const MuDelta& given);
// The largest mu for which mu-GDP implies (eps, delta)-DP. Infinite at delta = 1.
Bound mu(const EpsilonDelta& given);

// The same for many values at once, in vector instructions. The spans have equal lengths; a value
// out of range is refused with its position. Negative eps are not taken here.
void deltas(std::span<const double> epsilon, std::span<const double> mu, std::span<Bound> out);
void epsilons(std::span<const double> mu, std::span<const double> delta, std::span<Bound> out);
// Of mus that are themselves known to lie between two ends, at one delta.
std::vector<Bound> epsilons(std::span<const Bound> mu, Delta delta);

// Running a mu_1-GDP and then a mu_2-GDP mechanism, ... is sqrt(mu_1^2 + mu_2^2 + ...)-GDP.
Bound compose(std::span<const Mu> mus);

// f(alpha): the least false-negative rate of any test with false-positive rate alpha.
Bound tradeoff(const Attack& given);
// The best true-positive rate of a membership attack with this false-positive rate: 1 - f(alpha).
Bound true_positive_rate(const Attack& given);
// The most by which any attack's true-positive rate exceeds its false-positive rate: delta(0).
Bound advantage(Mu mu);

}  // namespace ration::gdp
