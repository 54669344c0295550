#include "ration/report/attack.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ration/base/bound.h"
#include "ration/compose/household.h"
#include "ration/loss/gdp.h"
#include "ration/numeric/interval.h"
#include "ration/train/training_plan.h"

namespace ration::report {
namespace {

// Beyond it e^epsilon is no longer finite, and the bounds are 1.
constexpr double kMostEpsilon = 700;

// If the exact mechanism has delta(epsilon), the computed one has at most e^kComputedEpsilon
// delta(epsilon - kComputedEpsilon) and a part of 2^-40 of a delta more (docs/math/noise.md, "In
// the promise"). True positives are the least of delta(epsilon) + e^epsilon alpha over all epsilon,
// which this lets grow by a factor of e^kComputedEpsilon and that part.
constexpr double kComputed = 2 * train::kComputedEpsilon + 0x1p-40;

double probability(double upper) { return std::min(1.0, upper); }

// The parameter of Gaussian DP that gives this (epsilon, delta), rounded up; nothing if there is
// none within reach.
std::optional<Mu> mu_of(const Attacked& attacked) {
  if (!attacked.gaussian || attacked.delta >= 1) return std::nullopt;
  return gdp::mu({.epsilon = attacked.epsilon, .delta = attacked.delta}).upper;
}

}  // namespace

double most_advantage(const Attacked& attacked) {
  if (!(attacked.epsilon <= kMostEpsilon)) return 1;
  // (e^eps - 1 + 2 delta) / (e^eps + 1), Kairouz, Oh, Viswanath 2015.
  const Bound grown = exp(exactly(attacked.epsilon));
  const Bound any = (expm1(exactly(attacked.epsilon)) + 2.0 * attacked.delta) / (grown + 1.0);
  const auto mu = mu_of(attacked);
  if (!mu) return probability(any.upper);
  return probability(std::min(any.upper, add_up(gdp::advantage(*mu).upper, kComputed)));
}

double most_true_positives(const Attacked& attacked, FalsePositiveRate false_positives) {
  if (!(attacked.epsilon <= kMostEpsilon)) return 1;
  const double alpha = false_positives, delta = attacked.delta;
  // The trade-off function of (eps, delta): both sides of the hypothesis test.
  const Bound grown = exp(exactly(attacked.epsilon)), shrunk = exp(exactly(-attacked.epsilon));
  const double left = (grown * alpha + delta).upper;
  const double right = (1.0 - shrunk * (exactly(1) - delta - alpha)).upper;
  const double any = std::min(left, right);
  const auto mu = mu_of(attacked);
  if (!mu) return probability(any);
  const Bound gaussian = gdp::true_positive_rate({.mu = *mu, .false_positive_rate = alpha});
  return probability(std::min(any, add_up(gaussian.upper, kComputed)));
}

double most_delta(const Attacked& attacked, Epsilon epsilon) {
  if (!(attacked.epsilon <= kMostEpsilon)) return 1;
  const double delta = attacked.delta;
  // delta + (1 - delta) (e^eps0 - e^eps) / (e^eps0 + 1) below eps0, the pair's own (Kairouz, Oh,
  // Viswanath 2015: the pair that dominates all that are (eps0, delta)-private).
  double any = delta;
  if (epsilon < attacked.epsilon) {
    const Bound grown = exp(exactly(attacked.epsilon));
    const Bound gap = grown - exp(exactly(epsilon));
    any = (exactly(delta) + (exactly(1) - delta) * gap / (grown + 1.0)).upper;
  }
  const auto mu = mu_of(attacked);
  if (!mu) return probability(any);
  const Bound exact =
      gdp::delta({.epsilon = add_down(epsilon, -train::kComputedEpsilon), .mu = double{*mu}});
  const Bound computed = exp(exactly(train::kComputedEpsilon)) * exact + 0x1p-40 * delta;
  return probability(std::min(any, computed.upper));
}

HouseholdPromise promised_to(int people, const Attacked& attacked) {
  if (!(attacked.epsilon <= kMostEpsilon)) return {.epsilon = kInfinity, .delta = 1};
  const auto chained = [&](double epsilon) {
    return mul_up(most_delta(attacked, epsilon), chain_of_neighbours(epsilon, people));
  };
  // Whatever the search finds was computed: it may miss the least, and nothing else.
  double below = attacked.epsilon, enough = std::max(below, 1e-6);
  while (!(chained(enough) <= attacked.delta) && enough <= kMostEpsilon) {
    below = enough;
    enough *= 1.25;
  }
  if (!(chained(enough) <= attacked.delta)) {
    return {.epsilon = mul_up(people, attacked.epsilon),
            .delta = probability(chained(attacked.epsilon))};
  }
  while (enough - below > 1e-6 * enough) {
    const double middle = below + 0.5 * (enough - below);
    (chained(middle) <= attacked.delta ? enough : below) = middle;
  }
  return {.epsilon = mul_up(people, enough), .delta = attacked.delta};
}

std::optional<double> gaussian_parameter(const Attacked& attacked) {
  if (!(attacked.epsilon <= kMostEpsilon)) return std::nullopt;
  const auto mu = mu_of(attacked);
  return mu ? std::optional<double>(*mu) : std::nullopt;
}

}  // namespace ration::report
