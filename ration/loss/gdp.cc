#include "ration/loss/gdp.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "ration/base/float_environment.h"
#include "ration/loss/gdp_batch.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/normal.h"
#include "ration/numeric/search.h"

namespace ration::gdp {
namespace {

Bound evaluate(double epsilon, double mu, Side side) {
  Bound out;
  delta_batch(&epsilon, &mu, side, &out, 1);
  return out;
}
Bound delta_at(double epsilon, double mu) { return evaluate(epsilon, mu, Side::delta); }

// delta(eps; mu) - target, compared on the side where the target is small; there 1 - target is
// exact.
class Distance {
 public:
  explicit Distance(double target)
      : side_(target < 0.5 ? Side::delta : Side::rest),
        target_(target < 0.5 ? target : 1 - target) {}

  Bound certified(double epsilon, double mu) const {
    const Bound distance = evaluate(epsilon, mu, side_) - target_;
    return side_ == Side::delta ? distance : -distance;
  }
  // In logarithms, for searching.
  double estimate(double epsilon, double mu) const {
    const double value = std::max(evaluate(epsilon, mu, side_).upper, 1e-320);
    const double distance = std::log(value) - std::log(target_);
    return side_ == Side::delta ? distance : -distance;
  }

 private:
  Side side_;
  double target_;
};

// The slow and sure way: bisection for the place, then the same proof with a growing margin.
Bound epsilon_by_search(double mu, double delta) {
  const Distance distance(delta);
  constexpr Bound kRange = {.lower = 0, .upper = 1e9};  // above mu^2/2 + 38 mu for any valid mu
  const double guess =
      find_root([&](double epsilon) { return -distance.estimate(epsilon, mu); }, kRange);
  return certified_root([&](double epsilon) { return -distance.certified(epsilon, mu); }, guess,
                        kRange);
}

template <class Rule>
void check(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!Rule::allows(values[i])) {
      refuse(fmt::format("{} at position {}", Rule::name, i), values[i], Rule::accepted);
    }
  }
}

void check_lengths(std::size_t first, std::size_t second, std::size_t out) {
  if (first != second || first != out) {
    refuse("length of the second argument or of the result",
           std::to_string(second) + " or " + std::to_string(out),
           "as many values as in the first, " + std::to_string(first));
  }
}

}  // namespace

void deltas(std::span<const double> epsilon, std::span<const double> mu, std::span<Bound> out) {
  check_lengths(epsilon.size(), mu.size(), out.size());
  check<EpsilonRule>(epsilon);
  check<MuRule>(mu);
  const DefaultFloatEnvironment environment;
  delta_batch(epsilon.data(), mu.data(), Side::delta, out.data(), out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (mu[i] == 0) out[i] = exactly(0);  // nothing was released
  }
}

void epsilons(std::span<const double> mu, std::span<const double> delta, std::span<Bound> out) {
  check_lengths(mu.size(), delta.size(), out.size());
  check<MuRule>(mu);
  check<DeltaRule>(delta);
  const DefaultFloatEnvironment environment;
  std::vector<unsigned char> proved(out.size());
  epsilon_batch(mu.data(), delta.data(), out.data(), proved.data(), out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool nothing = mu[i] == 0 || delta[i] == 1;
    if (nothing || (out[i].lower == 0 && Distance(delta[i]).certified(0, mu[i]).upper <= 0)) {
      out[i] = exactly(0);
    } else if (proved[i] == 0) {
      out[i] = epsilon_by_search(mu[i], delta[i]);
    }
  }
}

std::vector<Bound> epsilons(std::span<const Bound> mu, Delta delta) {
  std::vector<double> lower, upper;
  for (const Bound& one : mu) {
    lower.push_back(one.lower);
    upper.push_back(one.upper);
  }
  const std::vector<double> deltas(mu.size(), delta);
  std::vector<Bound> least(mu.size()), most(mu.size());
  epsilons(lower, deltas, least);
  epsilons(upper, deltas, most);
  for (std::size_t i = 0; i < most.size(); ++i) most[i].lower = least[i].lower;
  return most;
}

Bound delta(const EpsilonMu& given) {
  const DefaultFloatEnvironment environment;
  const double epsilon = given.epsilon, mu = given.mu;
  if (mu == 0) return epsilon >= 0 ? exactly(0) : -expm1(exactly(epsilon));
  if (epsilon >= 0) return delta_at(epsilon, mu);
  // The pair is symmetric: delta(-e) = 1 - exp(-e) + exp(-e) delta(e), all terms positive.
  const Bound shrink = exp(exactly(epsilon));
  return min(-expm1(exactly(epsilon)) + shrink * delta_at(-epsilon, mu), exactly(1));
}

Bound epsilon(const MuDelta& given) {
  const double mu = given.mu, delta = given.delta;
  Bound out;
  epsilons({&mu, 1}, {&delta, 1}, {&out, 1});
  return out;
}

Bound mu(const EpsilonDelta& given) {
  const DefaultFloatEnvironment environment;
  const double epsilon = given.epsilon, delta = given.delta;
  if (delta == 1) return exactly(kInfinity);
  // delta(eps; mu) increases from 0 to 1 in mu. The ends: eps = 0 gives at least delta, and
  // eps = 1e8 needs at most sqrt(2e8) + 9.
  const Bound range = {.lower = 0.5 * delta, .upper = 15000};
  const Distance distance(delta);
  const double guess = std::exp(
      find_root([&](double log_mu) { return distance.estimate(epsilon, std::exp(log_mu)); },
                {.lower = std::log(range.lower), .upper = std::log(range.upper)}));
  return certified_root([&](double m) { return distance.certified(epsilon, m); }, guess, range);
}

Bound compose(std::span<const Mu> mus) {
  const DefaultFloatEnvironment environment;
  if (mus.empty()) return exactly(0);
  Bound sum = exactly(0);
  for (const double mu : mus) sum = sum + square(exactly(mu));
  return sqrt(Bound{.lower = std::max(0.0, sum.lower), .upper = sum.upper});
}

Bound true_positive_rate(const Attack& given) {
  const DefaultFloatEnvironment environment;
  // Phi(mu - x) with P(Z > x) = alpha.
  const Bound x = normal_tail_inverse(given.false_positive_rate) - double{given.mu};
  return {.lower = std::max(0.0, normal_tail(x.upper).lower),
          .upper = std::min(1.0, normal_tail(x.lower).upper)};
}

Bound tradeoff(const Attack& given) {
  const DefaultFloatEnvironment environment;
  const Bound x = double{given.mu} - normal_tail_inverse(given.false_positive_rate);
  return {.lower = std::max(0.0, normal_tail(x.upper).lower),
          .upper = std::min(1.0, normal_tail(x.lower).upper)};
}

Bound advantage(Mu mu) { return delta({.epsilon = 0, .mu = mu}); }

}  // namespace ration::gdp
