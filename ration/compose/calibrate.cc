#include "ration/compose/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "ration/base/error.h"
#include "ration/numeric/search.h"

namespace ration {
namespace {

// Numbers of ten significant digits in their order: decimal(0) = 1e-12, and so on upward.
constexpr std::int64_t kPerDecade = 9'000'000'000;
double decimal(std::int64_t index) {
  const auto digits = static_cast<double>(1'000'000'000 + index % kPerDecade);
  const auto exponent = static_cast<int>(index / kPerDecade) - 12 - 9;
  // Both factors are exact doubles, so the result is the double nearest to the decimal number.
  return exponent < 0 ? digits / std::pow(10.0, -exponent) : digits * std::pow(10.0, exponent);
}
constexpr std::int64_t decade(int exponent) { return (exponent + 12) * kPerDecade; }
std::int64_t index_of(double x) {
  const double exponent = std::floor(std::log10(x));
  const auto within = static_cast<std::int64_t>((x / std::pow(10.0, exponent) - 1) * 1e9);
  return decade(static_cast<int>(exponent)) + within;
}

class Goal {
 public:
  Goal(const Target& target, Accounting how) : target_(target), how_(std::move(how)) {}

  // What is promised of the answer.
  bool fits(const NoisySteps& given) const { return epsilon(given).upper <= target_.epsilon; }
  Bound epsilon(const NoisySteps& given) const {
    return compose({entry(given)}, target_.delta, how_).epsilon;
  }
  // log of the delta spent at the target's eps, against the target's delta: quick, smooth, and
  // negative where the goal is kept.
  double excess(const NoisySteps& given) const {
    const Bound delta = delta_at({entry(given)}, target_.epsilon, how_).delta;
    return std::log(std::max(delta.upper, 1e-300)) - std::log(target_.delta);
  }

 private:
  Target target_;
  Accounting how_;
};

// The smallest number in (no, yes] with the property, given that it holds from somewhere on.
// Looked for around a guess first.
std::int64_t first_with(std::int64_t no, std::int64_t yes, std::int64_t guess,
                        const std::function<bool(std::int64_t)>& property) {
  guess = std::clamp(guess, no + 1, yes);
  const bool holds = property(guess);
  (holds ? yes : no) = guess;
  for (std::int64_t stride = 1; yes - no > 1; stride *= 4) {
    const std::int64_t next =
        holds ? std::max(no + 1, guess - stride) : std::min(yes - 1, guess + stride);
    const bool found = property(next);
    (found ? yes : no) = next;
    if (found != holds) break;
  }
  while (yes - no > 1) {
    const std::int64_t middle = no + (yes - no) / 2;
    (property(middle) ? yes : no) = middle;
  }
  return yes;
}

// exp of where a function of log x changes sign, for a guess.
double crossing(double from, double to, const std::function<double(double)>& rising) {
  return std::exp(find_root([&](double log_x) { return rising(std::exp(log_x)); },
                            {.lower = std::log(from), .upper = std::log(to)}, 1e-11));
}

}  // namespace

double calibrate_noise(const Target& target, const RateAndSteps& given, const Accounting& how) {
  const Goal goal(target, how);
  const auto with = [&](double noise) {
    return NoisySteps{.noise = noise, .rate = given.rate, .steps = given.steps};
  };
  const auto enough = [&](std::int64_t index) { return goal.fits(with(decimal(index))); };
  // From noise 1 by factors of two or so to the ends of what is accounted for: the range of Noise,
  // and with subsampling 0.01. Far too little noise is slow to account for.
  constexpr std::array<std::int64_t, 3> kRungs = {0, 1'000'000'000, 4'000'000'000};  // 1, 2, 5
  const auto rung = [&](int n) {
    const int tens = n >= 0 ? n / 3 : -((2 - n) / 3);
    return decade(tens) + kRungs[static_cast<std::size_t>(n - 3 * tens)];
  };
  const int least = given.rate == 1.0 ? -12 : -6, most = 24;
  int n = 0;
  if (enough(rung(0))) {
    while (n > least && enough(rung(n - 1))) --n;
    if (n == least) return decimal(rung(least));
    --n;
  } else {
    while (n < most && !enough(rung(n + 1))) ++n;
    if (n == most) {
      refuse("target epsilon", target.epsilon, "a larger one: not even noise 1e8 reaches it");
    }
  }
  const std::int64_t low = rung(n), high = rung(n + 1);
  const double guess = crossing(decimal(low), decimal(high),
                                [&](double noise) { return -goal.excess(with(noise)); });
  return decimal(first_with(low, high, index_of(guess) + 1, enough));
}

std::uint64_t calibrate_steps(const Target& target, const NoiseAndRate& given,
                              const Accounting& how) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;  // of Steps
  const Goal goal(target, how);
  const auto with = [&](Steps steps) {
    return NoisySteps{.noise = given.noise, .rate = given.rate, .steps = steps};
  };
  const auto too_many = [&](std::int64_t steps) { return !goal.fits(with(steps)); };
  // Grow until it is certainly too many. In between there may be numbers of steps that cannot be
  // decided, where the accounting is not sharp; more steps can be easier.
  std::int64_t fitting = 0, bound = 1;
  for (;; bound *= 8) {
    bound = std::min(bound, kMost);
    const Bound spent = goal.epsilon(with(bound));
    if (spent.upper <= target.epsilon) fitting = bound;
    if (spent.lower > target.epsilon || bound == kMost) break;
  }
  if (fitting == kMost) return kMost;
  if (bound == 1) return 0;
  const double guess =
      crossing(static_cast<double>(std::max<std::int64_t>(1, fitting)), static_cast<double>(bound),
               [&](double steps) { return goal.excess(with(std::max(1.0, std::floor(steps)))); });
  const auto first = first_with(fitting, bound, static_cast<std::int64_t>(guess) + 1, too_many);
  return static_cast<std::uint64_t>(first - 1);
}

double calibrate_rate(const Target& target, const NoiseAndSteps& given, const Accounting& how) {
  const Goal goal(target, how);
  const auto with = [&](double rate) {
    return NoisySteps{.noise = given.noise, .rate = rate, .steps = given.steps};
  };
  const auto too_high = [&](std::int64_t index) { return !goal.fits(with(decimal(index))); };
  constexpr std::int64_t kLeast = decade(-12), kMost = decade(0);  // the range of Rate
  if (!too_high(kMost)) return 1;
  if (how.method == Method::gdp) {
    throw Error(
        "method gdp knows rate 1 only, and that does not fit: choose contour or rdp to solve for "
        "the rate");
  }
  if (too_high(kLeast)) {
    refuse("target epsilon", target.epsilon, "a larger one: not even rate 1e-12 reaches it");
  }
  const double guess =
      crossing(1e-12, 1 - 1e-9, [&](double rate) { return goal.excess(with(rate)); });
  return decimal(first_with(kLeast, kMost, index_of(guess) + 1, too_high) - 1);
}

}  // namespace ration
