#include "ration/compose/calibrate.h"

#include <cmath>
#include <cstdint>
#include <functional>

#include "ration/base/error.h"

namespace ration {
namespace {

bool fits(const Target& target, const NoisySteps& given, const Accounting& how) {
  return at_delta({entry(given)}, target.delta, how).epsilon.upper <= target.epsilon;
}

// The smallest number in (no, yes] with the property, given that it holds from somewhere on.
std::int64_t first_with(std::int64_t no, std::int64_t yes,
                        const std::function<bool(std::int64_t)>& property) {
  while (yes - no > 1) {
    const std::int64_t middle = no + (yes - no) / 2;
    (property(middle) ? yes : no) = middle;
  }
  return yes;
}

// Numbers of ten significant digits in their order: decimal(0) = 1e-12, and so on upward.
constexpr std::int64_t kPerDecade = 9'000'000'000;
double decimal(std::int64_t index) {
  const auto digits = static_cast<double>(1'000'000'000 + index % kPerDecade);
  const auto exponent = static_cast<int>(index / kPerDecade) - 12 - 9;
  // Both factors are exact doubles, so the result is the double nearest to the decimal number.
  return exponent < 0 ? digits / std::pow(10.0, -exponent) : digits * std::pow(10.0, exponent);
}
constexpr std::int64_t decade(int exponent) { return (exponent + 12) * kPerDecade; }

}  // namespace

double calibrate_noise(const Target& target, const RateAndSteps& given, const Accounting& how) {
  const auto enough = [&](std::int64_t index) {
    return fits(target, {.noise = decimal(index), .rate = given.rate, .steps = given.steps}, how);
  };
  // From noise 1 by decades to the ends of what is accounted for: the range of Noise, and with
  // subsampling 0.01.
  const int least = given.rate == 1.0 ? -4 : -2;
  int exponent = 0;
  if (enough(decade(0))) {
    while (exponent > least && enough(decade(exponent - 1))) --exponent;
    if (exponent == least) return decimal(decade(least));
    --exponent;
  } else {
    while (exponent < 8 && !enough(decade(exponent + 1))) ++exponent;
    if (exponent == 8) {
      refuse("target epsilon", target.epsilon, "a larger one: not even noise 1e8 reaches it");
    }
  }
  return decimal(first_with(decade(exponent), decade(exponent + 1), enough));
}

double calibrate_steps(const Target& target, const NoiseAndRate& given, const Accounting& how) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;  // of Steps
  const auto too_many = [&](std::int64_t steps) {
    const auto count = static_cast<double>(steps);
    return !fits(target, {.noise = given.noise, .rate = given.rate, .steps = count}, how);
  };
  std::int64_t bound = 1;  // double until it is too many, so that small answers come quickly
  while (bound < kMost && !too_many(bound)) bound *= 2;
  if (bound >= kMost && !too_many(kMost)) return static_cast<double>(kMost);
  bound = std::min(bound, kMost);
  return static_cast<double>(first_with(bound / 2, bound, too_many) - 1);
}

double calibrate_rate(const Target& target, const NoiseAndSteps& given, const Accounting& how) {
  const auto too_high = [&](std::int64_t index) {
    return !fits(target, {.noise = given.noise, .rate = decimal(index), .steps = given.steps}, how);
  };
  constexpr std::int64_t kLeast = decade(-12), kMost = decade(0);  // the range of Rate
  if (!too_high(kMost)) return 1;
  if (how.method == Method::gdp) {
    throw Error(
        "method gdp knows rate 1 only, and that does not fit: choose rdp to solve for the "
        "rate");
  }
  if (too_high(kLeast)) {
    refuse("target epsilon", target.epsilon, "a larger one: not even rate 1e-12 reaches it");
  }
  return decimal(first_with(kLeast, kMost, too_high) - 1);
}

}  // namespace ration
