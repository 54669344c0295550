#include "ration/individual/used_mechanisms.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/individual/spend.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

// Which buckets of a rate anybody has steps in.
std::vector<unsigned char> buckets_in_use(const Accounts& accounts, std::size_t rate) {
  const std::size_t buckets = accounts.buckets().size();
  std::vector<unsigned char> used(buckets);
  for (std::size_t p = 0; p < accounts.people(); ++p) {
    const auto counts = accounts.counts(rate, p);
    for (std::size_t j = 0; j < buckets; ++j) {
      used[j] = static_cast<unsigned char>(used[j] | (counts[j] != 0 ? 1U : 0U));
    }
  }
  return used;
}

// Their edges, and the next ones.
std::vector<unsigned char> edges_of(const std::vector<unsigned char>& used) {
  std::vector<unsigned char> edges = used;
  for (std::size_t j = 0; j + 1 < used.size(); ++j) {
    if (used[j] != 0) edges[j + 1] = 1;
  }
  return edges;
}

}  // namespace

UsedMechanisms::UsedMechanisms(const Accounts& accounts) : accounts_(accounts) {
  const auto edges = accounts.buckets().edges();
  for (std::size_t rate = 0; rate < accounts.rates().size(); ++rate) {
    used_.push_back(buckets_in_use(accounts, rate));
    const auto needed = edges_of(used_.back());
    place_.emplace_back(needed.size());
    for (std::size_t j = 0; j < needed.size(); ++j) {
      if (needed[j] == 0) continue;
      place_[rate][j] = static_cast<std::uint32_t>(mechanisms_.size());
      mechanisms_.push_back({.noise = edges[j], .rate = accounts.rates()[rate]});
    }
  }
  for (std::size_t p = 0; p < accounts.people(); ++p) refuse_full(accounts, p);
}

void UsedMechanisms::usage(std::size_t person, Rounding rounding, Usage& out) const {
  const std::size_t shift = rounding == Rounding::up ? 0 : 1;
  const std::size_t most = place_.size() * accounts_.buckets().size();
  out.mechanism.resize(most);
  out.count.resize(most);
  out.used = 0;  // written always and kept where the count is not zero, without a branch
  for (std::size_t rate = 0; rate < place_.size(); ++rate) {
    const auto counts = accounts_.counts(rate, person);
    const std::uint32_t* place = place_[rate].data() + shift;
    // More noise than the last edge is not bounded: for lower ends such steps cost nothing.
    for (std::size_t j = 0; j + shift < counts.size(); ++j) {
      out.mechanism[out.used] = place[j];
      out.count[out.used] = counts[j];
      out.used += counts[j] != 0 ? 1 : 0;
    }
  }
  const auto [total, charges] = accounts_.unsampled(person);
  const Bound sum = sum_of(total, charges);
  out.spend = rounding == Rounding::up ? sum.upper : sum.lower;
}

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
