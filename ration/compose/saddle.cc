#include "ration/compose/saddle.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "ration/base/error.h"

namespace ration {

double tilt_for_delta(const LogMomentFunction& k, double log_delta, double most) {
  const double variance = k(1e-3).second;
  const auto condition = [&](double z) {
    const LogMoment m = k(z);
    return Condition{z * m.first - m.value + std::log1p(z) + log_delta, z * m.second + 1 / (1 + z)};
  };
  return find_tilt(condition, std::sqrt(2 * std::max(-log_delta, 0.1) / variance), most);
}

double tilt_for_epsilon(const LogMomentFunction& k, double epsilon, double most) {
  const auto condition = [&](double z) {
    const LogMoment m = k(z);
    const double gap = m.first - epsilon - std::log1p(1 / z);
    return Condition{z * gap, gap + z * m.second + 1 / (1 + z)};  // times z, to be an exponent
  };
  return find_tilt(condition, 1, most);
}

// Newton in log z, guarded by the bracket seen so far.
double find_tilt(const std::function<Condition(double)>& condition, double guess, double most) {
  constexpr double kCloseEnough = 0.3;
  double low = 1e-7, high = most, z = std::clamp(guess, 1e-6, 0.1 * most);
  for (int i = 0; i < 60; ++i) {
    const std::optional<Condition> g = if_in_reach([&] { return condition(z); });
    if (!g) {  // no moments that far out
      high = z;
      z = std::sqrt(low * high);
      continue;
    }
    if (std::abs(g->value) < kCloseEnough) break;
    (g->value > 0 ? high : low) = z;
    double next = z * std::exp(std::clamp(-g->value / (g->slope * z), -2.0, 2.0));
    if (!(next > low && next < high)) next = std::sqrt(low * high);
    if (std::abs(next / z - 1) < 1e-9) break;
    z = next;
  }
  return z;
}

}  // namespace ration

namespace ration::contour {
namespace {

struct NoiseOf {
  double operator()(const Gaussian& m) const { return m.noise; }
  double operator()(const SubsampledGaussian& m) const { return m.noise; }
  double operator()(const WithoutNormalNoise auto&) const {
    refuse_without_normal_noise("contour");
  }
};
double noise_of(const PlanEntry& entry) { return std::visit(NoiseOf{}, entry.mechanism); }

}  // namespace

Plan with_fewer_noises(const Plan& plan) {
  constexpr std::size_t kFew = 8;
  if (plan.size() <= kFew) return plan;
  std::vector<const PlanEntry*> sorted;
  for (const PlanEntry& e : plan) sorted.push_back(&e);
  std::sort(sorted.begin(), sorted.end(),
            [](const PlanEntry* a, const PlanEntry* b) { return noise_of(*a) < noise_of(*b); });
  Plan few;
  for (std::size_t i = 0; i < plan.size();) {
    const std::size_t end = std::min(plan.size(), i + 1 + i / 2);
    double steps = 0;
    for (std::size_t j = i; j < end; ++j) steps += sorted[j]->steps;
    few.push_back({sorted[i + (end - i) / 2]->mechanism, std::min(steps, 1e15)});
    i = end;
  }
  return few;
}

}  // namespace ration::contour
