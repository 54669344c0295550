#include "ration/compose/thinned.h"

#include <algorithm>
#include <variant>

namespace ration::contour {
namespace {

double noise_of(const PlanEntry& entry) {
  return std::visit([](const auto& m) { return double{m.noise}; }, entry.mechanism);
}

}  // namespace

Plan thinned(Plan plan) {
  constexpr std::size_t kFew = 8;
  if (plan.size() <= kFew) return plan;
  std::sort(plan.begin(), plan.end(),
            [](const PlanEntry& a, const PlanEntry& b) { return noise_of(a) < noise_of(b); });
  Plan few;
  for (std::size_t i = 0; i < plan.size();) {
    const std::size_t end = std::min(plan.size(), i + 1 + i / 2);
    double steps = 0;
    for (std::size_t j = i; j < end; ++j) steps += plan[j].steps;
    few.push_back({plan[i + (end - i) / 2].mechanism, std::min(steps, 1e15)});
    i = end;
  }
  return few;
}

}  // namespace ration::contour
