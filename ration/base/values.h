// Numbers that are valid by type. Each is checked once, where a plain number enters; code that
// takes a Noise need not ask whether it is positive. A refusal names the argument.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "ration/base/error.h"

namespace ration {

// Rule: `name`, `accepted` (for people) and `allows(double)`.
template <class Rule>
class Checked {
 public:
  // Implicit, so that `SubsampledGaussian{.noise = 2.0, .rate = 0.005}` reads as it does.
  constexpr Checked(double value) : value_(value) {
    if (!Rule::allows(value)) refuse(Rule::name, value, Rule::accepted);  // NaN is never allowed
  }
  constexpr operator double() const { return value_; }

 private:
  double value_;
};

struct EpsilonRule {
  static constexpr std::string_view name = "epsilon", accepted = "a number from 0 to 1e8";
  static constexpr bool allows(double x) { return x >= 0 && x <= 1e8; }
};
struct AnyEpsilonRule {
  static constexpr std::string_view name = "epsilon", accepted = "a number from -1e8 to 1e8";
  static constexpr bool allows(double x) { return x >= -1e8 && x <= 1e8; }
};
struct DeltaRule {
  static constexpr std::string_view name = "delta", accepted = "a probability from 1e-300 to 1";
  static constexpr bool allows(double x) { return x >= 1e-300 && x <= 1; }
};
struct MuRule {
  static constexpr std::string_view name = "mu", accepted = "0 or a number from 1e-300 to 20000";
  static constexpr bool allows(double x) { return x == 0 || (x >= 1e-300 && x <= 20000); }
};
struct NoiseRule {
  static constexpr std::string_view name = "noise", accepted = "a number from 0.0001 to 1e8";
  static constexpr bool allows(double x) { return x >= 1e-4 && x <= 1e8; }
};
struct ClipRule {
  static constexpr std::string_view name = "clip", accepted = "a number from 1e-30 to 1e30";
  static constexpr bool allows(double x) { return x >= 1e-30 && x <= 1e30; }
};
struct RateRule {
  static constexpr std::string_view name = "rate", accepted = "a probability from 1e-12 to 1";
  static constexpr bool allows(double x) { return x >= 1e-12 && x <= 1; }
};
struct TruthRule {
  static constexpr std::string_view name = "truth", accepted = "a probability above 0 and below 1";
  static constexpr bool allows(double x) { return x > 0 && x < 1; }
};
struct OptionsRule {
  static constexpr std::string_view name = "options", accepted = "a whole number from 2 to 1e6";
  static constexpr bool allows(double x) { return x >= 2 && x <= 1e6 && std::floor(x) == x; }
};
struct OrderRule {
  static constexpr std::string_view name = "order", accepted = "a number from 1.000001 to 1e6";
  static constexpr bool allows(double x) { return x >= 1.000001 && x <= 1e6; }
};
struct FalsePositiveRateRule {
  static constexpr std::string_view name = "false positive rate",
                                    accepted = "a probability from 1e-300 to below 1";
  static constexpr bool allows(double x) { return x >= 1e-300 && x < 1; }
};
struct StepsRule {
  static constexpr std::string_view name = "steps", accepted = "a whole number from 1 to 1e15";
  static constexpr bool allows(double x) { return x >= 1 && x <= 1e15 && std::floor(x) == x; }
};

using Epsilon = Checked<EpsilonRule>;
using AnyEpsilon = Checked<AnyEpsilonRule>;  // the curve delta(eps) exists for negative eps too
using Delta = Checked<DeltaRule>;
using Mu = Checked<MuRule>;
using Noise = Checked<NoiseRule>;
using Clip = Checked<ClipRule>;  // the bound on the norm of what one person contributes
using Rate = Checked<RateRule>;
using Truth = Checked<TruthRule>;
using Options = Checked<OptionsRule>;
using Order = Checked<OrderRule>;
using FalsePositiveRate = Checked<FalsePositiveRateRule>;
using Steps = Checked<StepsRule>;  // a double holds every whole number up to 2^53 > 1e15

}  // namespace ration
