#include "ration/individual/account_plan.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/individual/spend.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

std::optional<Noise> noise_of(const Buckets& buckets, std::size_t bucket, Rounding rounding) {
  if (rounding == Rounding::up) return buckets.least_noise(bucket);
  return buckets.most_noise(bucket);
}

}  // namespace

void refuse_full(const Accounts& accounts, std::size_t person) {
  if (accounts.unsampled(person).total != kMostUnits) return;
  throw Error(
      fmt::format("person {} has spent more than accounts can count (mu^2 of 16384): "
                  "there is no bound on their loss",
                  person));
}

Plan plan_of(const Accounts& accounts, std::size_t person, Rounding rounding) {
  const DefaultFloatEnvironment environment;
  const auto [total, charges] = accounts.unsampled(person);
  Plan plan;
  for (std::size_t rate = 0; rate < accounts.rates().size(); ++rate) {
    const auto counts = accounts.counts(rate, person);
    for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
      if (counts[bucket] == 0) continue;
      const auto noise = noise_of(accounts.buckets(), bucket, rounding);
      if (!noise) continue;
      plan.push_back({SubsampledGaussian{.noise = *noise, .rate = accounts.rates()[rate]},
                      static_cast<double>(counts[bucket])});
    }
  }
  // Gaussians compose into one whose mu^2 is their sum; its noise is 1 / mu, from 1/128 to 2^25.
  const Bound mu = mu_of(total, charges);
  if (rounding == Rounding::up && total > 0) {
    refuse_full(accounts, person);
    plan.push_back({Gaussian{.noise = div_down(1, mu.upper)}, 1});
  }
  if (rounding == Rounding::down && mu.lower > 0) {
    plan.push_back({Gaussian{.noise = div_up(1, mu.lower)}, 1});
  }
  return plan;
}

}  // namespace ration
