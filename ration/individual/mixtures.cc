#include "ration/individual/mixtures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ration/individual/bucket_rule.h"
#include "ration/individual/spend.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

// Total variation t = 2 Phi(mu/2) - 1 of a step without sampling, between two noises; the larger mu
// first. Relative error at most `error`: erf(x) errs relatively as x does, erfc(x) 2 x^2 times as
// much, which is at most 1e-12 for noises from 0.01 on.
struct Rise {
  double size, error;
};
Rise variation_between(double noise, double more) {
  const double x = 0.5 / noise * std::numbers::sqrt2 * 0.5,
               y = 0.5 / more * std::numbers::sqrt2 * 0.5;
  const double above = x < 1 ? std::erf(x) : std::erfc(y),
               below = x < 1 ? std::erf(y) : std::erfc(x);
  const double difference = above - below;
  const double each = x < 1 ? 1e-14 : 2e-12;
  const double error = difference > 1e-290 ? 1e-12 + each * above / difference : 1;
  return {.size = difference, .error = std::min(1.0, error)};
}
// dt/dw, w = mu^2.
double variation_slope(double noise) {
  const double mu = 1 / noise;
  return std::exp(-mu * mu / 8) / std::sqrt(2 * std::numbers::pi) / (2 * mu);
}

constexpr double kShare = 1.0 / kWholeShare;

// Neighbouring edges that are further apart are not extrapolated.
constexpr double kFarthest = 1.4;

}  // namespace

Mixture at_edges(const Usage& usage) {
  return {.law = {usage.mechanisms().begin(), usage.mechanisms().end()},
          .weight = {usage.counts().begin(), usage.counts().end()},
          .spend = usage.spend};
}

Mixtures::Mixtures(const Accounts& accounts, const UsedMechanisms& used, Places places)
    : accounts_(accounts), used_(used), places_(places) {
  for (std::size_t rate = 0; rate < accounts.rates().size(); ++rate) add_rate(rate);
}

void Mixtures::add_rate(std::size_t rate) {
  const auto edges = accounts_.buckets().edges();
  std::vector<Bucket>& buckets = buckets_.emplace_back();
  for (std::size_t j = 0; j < edges.size(); ++j) {
    const auto edge = static_cast<std::uint32_t>(used_.place(rate, j));
    buckets.push_back({.edge = edge, .up = kNone, .down = kNone, .steeper = 0, .flatter = 0});
    if (!used_.is_used(rate, j) || j + 1 == edges.size()) continue;
    Bucket& bucket = buckets.back();
    const double near = edges[j], far = edges[j + 1];
    const auto [here, error] = variation_between(near, far);
    const double product = near * far;
    const double chord = here / ((far - near) * (far + near) / (product * product));
    if (error < 1e-6) {
      bucket.steeper = variation_slope(far) / chord * (1 + 2 * error);
      bucket.flatter = variation_slope(near) / chord * (1 - 2 * error);
    } else {
      bucket.steeper = std::numeric_limits<double>::infinity();
    }
    bucket.up = static_cast<std::uint32_t>(pairs_.size());
    pairs_.push_back({.top = edge, .base = edge + 1});
    bucket.down = bucket.up + 1;
    const bool extrapolates =
        places_ == Places::known && j + 2 < edges.size() && edges[j + 2] < kFarthest * far;
    double times = 0;
    if (extrapolates) {
      const auto [next, next_error] = variation_between(far, edges[j + 2]);
      times = std::max(0.0, here / next * (1 - 2 * error - 2 * next_error));
    }
    if (times > 0 && std::isfinite(times)) {
      pairs_.push_back({.top = static_cast<std::uint32_t>(laws().size()), .base = edge + 1});
      extrapolated_.emplace_back(used_.mechanisms()[edge + 1], edges[j + 2], times);
    } else {
      pairs_.push_back({.top = edge + 1, .base = edge + 1});
    }
  }
}

void Mixtures::mark(std::size_t person, std::span<unsigned char> laws) const {
  static thread_local std::vector<BucketUse> uses;
  for (std::size_t rate = 0; rate < buckets_.size(); ++rate) {
    accounts_.uses(rate, person, uses);
    for (const auto& use : uses) {
      const Bucket& bucket = buckets_[rate][use.bucket];
      laws[bucket.edge] = 1;
      if (bucket.up == kNone) continue;
      laws[pairs_[bucket.up].base] = 1;
      laws[pairs_[bucket.down].top] = 1;
    }
  }
}

// In w = mu^2 a share theta of the bucket. Total variation t is concave in w, so that its share
// lambda lies above theta, and below the tangents at both ends.
void Mixtures::mixture(std::size_t person, Rounding rounding, std::span<const unsigned char> blunt,
                       Mixture& out) const {
  static thread_local std::vector<BucketUse> uses;
  const bool up = rounding == Rounding::up;
  out.law.clear();
  out.weight.clear();
  out.pair.clear();
  out.unsettled.clear();
  const auto add = [&](std::uint32_t law, double weight) {
    if (weight == 0) return;
    if (!out.law.empty() && out.law.back() == law) {
      out.weight.back() += weight;
    } else {
      out.law.push_back(law);
      out.weight.push_back(weight);
    }
  };
  for (std::size_t rate = 0; rate < buckets_.size(); ++rate) {
    const bool known = places_ == Places::known && accounts_.shares_known(rate);
    accounts_.uses(rate, person, uses);
    for (const auto& [j, count, shares] : uses) {
      const Bucket& bucket = buckets_[rate][j];
      const double n = count;
      const std::uint32_t pair = up ? bucket.up : bucket.down;
      if (pair == kNone) {  // beyond the last edge
        if (up) add(bucket.edge, n);
        continue;
      }
      const bool sharp = known && (blunt.empty() || blunt[pair] == 0);
      double top = up ? n : 0;  // the sum of lambda
      if (sharp && up) {
        const double theta = std::min(n, (static_cast<double>(shares) + n) * kShare);
        top = std::min({bucket.steeper * theta, n - bucket.flatter * (n - theta)});
        top = std::min(n, top * (1 + 4 * kRoundoff));
      } else if (sharp) {
        top = std::max(0.0, (static_cast<double>(shares) - n) * kShare);
      }
      const auto [over, under] = pairs_[pair];
      add(over, top);
      add(under, n - top);
      if (top > 0 && top < n && over != under) {
        out.pair.push_back(pair);
        out.unsettled.push_back(top * ((n - top) / n) * (1 + 1e-14));  // 1 - top / n would cancel
      }
    }
  }
  const auto [total, charges] = accounts_.unsampled(person);
  const Bound sum = sum_of(total, charges);
  out.spend = up ? sum.upper : sum.lower;
}

}  // namespace ration
