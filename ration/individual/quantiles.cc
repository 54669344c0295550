#include "ration/individual/quantiles.h"

#include <algorithm>
#include <cmath>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

// Between which two of n sorted values a quantile lies, and how far from the first.
struct Place {
  std::size_t before, after;
  double share;
};
Place place_of(double quantile, std::size_t n) {
  const double at = quantile * static_cast<double>(n - 1);
  const auto before = std::min(static_cast<std::size_t>(at), n - 1);
  return {.before = before,
          .after = std::min(before + 1, n - 1),
          .share = at - static_cast<double>(before)};
}

// a + share (b - a), never beyond either of them; with b infinite there is no telling how far.
double interpolated_up(double a, double b, double share) {
  if (share == 0 || a == b) return a;
  return std::min(b, add_up(a, mul_up(share, add_up(b, -a))));
}
double interpolated_down(double a, double b, double share) {
  if (share == 0 || a == b || std::isinf(b)) return a;
  return std::max(a, std::min(b, add_down(a, mul_down(share, add_down(b, -a)))));
}

}  // namespace

Quantiles quantiles_of(std::span<const Bound> epsilons) {
  if (epsilons.empty())
    throw Error("there is nobody to take quantiles of: give at least one person");
  const DefaultFloatEnvironment environment;
  std::vector<double> lower, upper;
  lower.reserve(epsilons.size());
  upper.reserve(epsilons.size());
  for (const Bound& epsilon : epsilons) {
    lower.push_back(epsilon.lower);
    upper.push_back(epsilon.upper);
  }
  std::sort(lower.begin(), lower.end());
  std::sort(upper.begin(), upper.end());
  Quantiles found{};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [before, after, share] = place_of(kQuantiles[i], epsilons.size());
    found[i] = {.lower = interpolated_down(lower[before], lower[after], share),
                .upper = interpolated_up(upper[before], upper[after], share)};
  }
  return found;
}

std::vector<GroupQuantiles> quantiles_of(std::span<const Bound> epsilons,
                                         std::span<const std::uint32_t> group_of,
                                         std::size_t groups) {
  std::vector<std::vector<Bound>> members(groups);
  for (std::size_t i = 0; i < group_of.size(); ++i) members[group_of[i]].push_back(epsilons[i]);
  std::vector<GroupQuantiles> found;
  found.reserve(groups);
  for (const auto& group : members) {
    found.push_back(
        {.people = group.size(), .quantiles = group.empty() ? Quantiles{} : quantiles_of(group)});
  }
  return found;
}

}  // namespace ration
