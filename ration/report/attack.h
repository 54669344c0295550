// What a guarantee means to someone who attacks it. An attacker sees everything that was released,
// knows everything about everybody else, and has to say whether one person's data were among those
// used. Upper bounds of what any such attack can reach, rounded up. Pure functions. docs/report.md
#pragma once

#include <optional>

#include "ration/base/values.h"

namespace ration::report {

struct Attacked {
  double epsilon;  // may be infinite
  Delta delta;
  // Everybody took part in every step: the guarantee is Gaussian DP, which says more than one pair
  // (epsilon, delta) does.
  bool gaussian;
};

// The most by which the true-positive rate exceeds the false-positive rate. If a coin decides
// whether the person's data are used, an attacker is right with probability (1 + advantage) / 2.
double most_advantage(const Attacked& attacked);

// The largest share of those whose data were used that an attack can recognise, when it wrongly
// names this share of the others.
double most_true_positives(const Attacked& attacked, FalsePositiveRate false_positives);

// The least delta that is known to go with another epsilon: the whole curve of a Gaussian
// guarantee, else what the one pair implies.
double most_delta(const Attacked& attacked, Epsilon epsilon);

// What is promised to a household of this many people together, by the chain of neighbours
// (docs/math/household.md): at the same delta where the guarantee is a whole curve, else what the
// one pair implies.
struct HouseholdPromise {
  double epsilon, delta;  // either may say nothing: infinite, or 1
};
HouseholdPromise promised_to(int people, const Attacked& attacked);

// How the curve of Gaussian DP is called: its parameter, rounded up. Nothing if the guarantee is no
// such curve, or if its one pair says all that is known.
std::optional<double> gaussian_parameter(const Attacked& attacked);

}  // namespace ration::report
