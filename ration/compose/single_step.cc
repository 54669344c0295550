#include "ration/compose/accountants.h"

#include <algorithm>

#include "ration/base/float_environment.h"
#include "ration/loss/gdp.h"
#include "ration/numeric/interval.h"
#include "ration/numeric/search.h"

namespace ration::single_step {
namespace {

constexpr double kLargestEpsilon = 1e8;

// delta of the Gaussian at a Bound of eps >= 0: falling in eps, rising in mu.
Bound gaussian_delta(const Bound& epsilon, const Bound& mu) {
  if (!(epsilon.upper <= kLargestEpsilon)) {
    const double low = std::clamp(epsilon.lower, 0.0, kLargestEpsilon);
    return {.lower = 0, .upper = gdp::delta({.epsilon = low, .mu = mu.upper}).upper};
  }
  return {.lower = gdp::delta({.epsilon = epsilon.upper, .mu = mu.lower}).lower,
          .upper = gdp::delta({.epsilon = std::max(0.0, epsilon.lower), .mu = mu.upper}).upper};
}

class Step {
 public:
  explicit Step(const SubsampledGaussian& m) : rate_(exactly(m.rate)), mu_(1 / exactly(m.noise)) {}

  // a' = 1 + (a - 1) / rate.
  Bound remove_delta(double epsilon) const {
    return rate_ * gaussian_delta(log1p(expm1(exactly(epsilon)) / rate_), mu_);
  }
  // H_a(Q||P) = (1 - a (1 - rate)) H_a''(N(0)||N(1)), a'' = a rate / (1 - a (1 - rate)); zero where
  // the first factor is not positive.
  Bound add_delta(double epsilon) const {
    const Bound left = rate_ - (1 - rate_) * expm1(exactly(epsilon));  // 1 - a (1 - rate)
    if (left.upper <= 0) return exactly(0);
    if (left.lower <= 0) return {.lower = 0, .upper = left.upper};
    const Bound ratio = rate_ / left;
    const Bound inner = exactly(epsilon) + log(ratio);
    const Bound delta = left * gaussian_delta(max(inner, exactly(0)), mu_);
    return {.lower = std::max(0.0, delta.lower), .upper = delta.upper};
  }
  Bound delta(double epsilon) const { return max(remove_delta(epsilon), add_delta(epsilon)); }

 private:
  Bound rate_, mu_;
};

Privacy answer(const Bound& epsilon, const Bound& delta) {
  return {.epsilon = epsilon,
          .delta = delta,
          .direction = Direction::remove,
          .method = Method::contour,
          .guarantee = {.theorem = "Tight (eps, delta) of one Poisson-subsampled Gaussian step "
                                   "(Zhu, Dong, Wang 2022, thm. 11), in closed form",
                        .adaptive = false,
                        .certified = true}};
}

const SubsampledGaussian& step_of(const Plan& plan) {
  return std::get<SubsampledGaussian>(plan.front().mechanism);
}

}  // namespace

bool covers(const Plan& plan) {
  return plan.size() == 1 && plan.front().steps == 1.0 &&
         std::holds_alternative<SubsampledGaussian>(plan.front().mechanism);
}

Privacy at_delta(const Plan& plan, Delta delta) {
  const DefaultFloatEnvironment environment;
  const Step step(step_of(plan));
  if (step.delta(0).upper <= delta) return answer(exactly(0), exactly(delta));
  // Start from eps' of the Gaussian at delta / rate, mapped back by a = 1 + rate (a' - 1).
  const double rate = step_of(plan).rate, share = std::min(1.0, delta / rate);
  const double inner = gdp::epsilon({.mu = 1 / step_of(plan).noise, .delta = share}).upper;
  const double guess = inner > 500 ? inner + std::log(rate) : std::log1p(rate * std::expm1(inner));
  const Bound range = {.lower = 0, .upper = std::max(1.0, 2 * inner)};
  return answer(certified_root([&](double e) { return delta - step.delta(e); }, guess, range),
                exactly(delta));
}

Privacy at_epsilon(const Plan& plan, Epsilon epsilon) {
  const DefaultFloatEnvironment environment;
  return answer(exactly(epsilon), Step(step_of(plan)).delta(epsilon));
}

}  // namespace ration::single_step
