// Where to tilt: searches in plain doubles for the real z at which the exponent of a Chernoff bound
// is least. Any tilt gives a valid bound; a good one gives a narrow one. Pure functions.
#pragma once

#include <functional>

#include "ration/mechanism/mechanism.h"

namespace ration {

struct LogMoment {
  double value = 0, first = 0, second = 0;  // K, K', K''
};
using LogMomentFunction = std::function<LogMoment(double)>;

inline constexpr double kFarTilt = 1e5;

// z K' - K + log(1+z) + log delta = 0: the best Renyi bound of eps at this delta.
double tilt_for_delta(const LogMomentFunction& k, double log_delta, double most = kFarTilt);

// K' - eps - log(1 + 1/z) = 0: the best Renyi bound of delta at this eps.
double tilt_for_epsilon(const LogMomentFunction& k, double epsilon, double most = kFarTilt);

// The z at which an increasing condition, an exponent, passes 0, to about `close`; between 1e-7 and
// `most`. Where the condition is out of reach it counts as passed.
struct Condition {
  double value, slope;
};
double find_tilt(const std::function<Condition(double)>& condition, double guess,
                 double most = kFarTilt, double close = 0.3);

}  // namespace ration

namespace ration::contour {

// Few noise levels in place of many, to search by: proofs use the plan itself. Among steps of about
// one rate the lowest levels stay as they are, for they decide where large losses set in; ever more
// of the others are thrown together.
Plan with_fewer_noises(const Plan& plan);

}  // namespace ration::contour
