#include "ration/compose/accountants.h"

#include <algorithm>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/loss/gdp.h"
#include "ration/numeric/interval.h"

namespace ration::gaussian {
namespace {

constexpr double kLargestMu = 20000;  // what gdp takes; beyond it eps is above 1e8

Guarantee guarantee() {
  return {.theorem =
              "Gaussian DP: mu^2 adds up (Dong, Roth, Su 2022, cor. 3.3), also of steps that are "
              "chosen adaptively within this sum (Koskela, Tobaben, Honkela 2023, main theorem)",
          .adaptive = true,
          .certified = true};
}

// mu^2 of one step.
struct Spend {
  Bound operator()(const Gaussian& m) const { return 1 / square(exactly(m.noise)); }
  Bound operator()(const SubsampledGaussian& m) const {
    refuse("rate", m.rate,
           "rate 1 with method gdp, or another method: gdp is exact only when "
           "everybody takes part");
  }
  Bound operator()(const WithoutNormalNoise auto&) const { refuse_without_normal_noise("gdp"); }
};

}  // namespace

bool covers(const Plan& plan) {
  return std::all_of(plan.begin(), plan.end(), [](const PlanEntry& e) {
    return std::holds_alternative<Gaussian>(e.mechanism);
  });
}

Bound total_mu(const Plan& plan) {
  Bound sum = exactly(0);
  for (const auto& [mechanism, steps] : plan) {
    sum = sum + std::visit(Spend{}, mechanism) * double{steps};
  }
  return sqrt(Bound{.lower = std::max(0.0, sum.lower), .upper = sum.upper});
}

// eps and delta grow with mu, so the ends of mu give the ends of the answer.
Privacy at_delta(const Plan& plan, Delta delta) {
  const DefaultFloatEnvironment environment;
  const Bound mu = total_mu(plan);
  const double lower = gdp::epsilon({.mu = std::min(mu.lower, kLargestMu), .delta = delta}).lower;
  const double upper = delta == 1.0 ? 0
                       : mu.upper > kLargestMu
                           ? kInfinity
                           : gdp::epsilon({.mu = mu.upper, .delta = delta}).upper;
  return {.epsilon = {.lower = lower, .upper = upper},
          .delta = exactly(delta),
          .direction = Direction::remove,
          .method = Method::gdp,
          .guarantee = guarantee()};
}

Privacy at_epsilon(const Plan& plan, Epsilon epsilon) {
  const DefaultFloatEnvironment environment;
  const Bound mu = total_mu(plan);
  const auto delta = [&](double m) {
    return gdp::delta({.epsilon = double{epsilon}, .mu = std::min(m, kLargestMu)});
  };
  const double upper = mu.upper > kLargestMu ? 1 : delta(mu.upper).upper;
  return {.epsilon = exactly(epsilon),
          .delta = {.lower = delta(mu.lower).lower, .upper = upper},
          .direction = Direction::remove,
          .method = Method::gdp,
          .guarantee = guarantee()};
}

}  // namespace ration::gaussian
