// Numbers that are valid by type. Each is checked once, where a plain number enters; code that
// takes a Noise need not ask whether it is positive. A refusal names the argument.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
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

// How often a mechanism is run: a whole number from 1 to 1e15, each of which is a double too. Text
// and other languages give doubles, so that these are taken where they are whole.
class Steps {
 public:
  template <std::integral Count>
  constexpr Steps(Count count) : Steps(static_cast<double>(count)) {}
  constexpr Steps(double count) {
    if (!(count >= 1 && count <= 1e15 && std::floor(count) == count)) {
      refuse("steps", count, "a whole number from 1 to 1e15");
    }
    count_ = static_cast<std::uint64_t>(count);
  }
  constexpr std::uint64_t count() const { return count_; }
  constexpr operator double() const { return static_cast<double>(count_); }

 private:
  std::uint64_t count_ = 0;
};

// The one of `values` whose name() is `text`; else a refusal that lists the names there are.
template <class Value, std::size_t count>
Value named(std::string_view argument, std::string_view text,
            const std::array<Value, count>& values) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    if (name(values[i]) == text) return values[i];
    if (i > 0) names += i + 1 == count ? " or " : ", ";
    names += name(values[i]);
  }
  refuse(argument, "'" + std::string(text) + "'", names);
}

}  // namespace ration
