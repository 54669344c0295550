#include "ration/compose/fewer_noises.h"

#include <algorithm>
#include <variant>

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
