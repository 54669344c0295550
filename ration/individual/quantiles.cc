#include "ration/individual/quantiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "ration/base/error.h"

namespace ration {
namespace {

void check_anybody(std::span<const Bound> epsilons) {
  if (epsilons.empty()) throw Error("there is nobody to take a share of: give at least one person");
}

std::vector<double> ends_of(std::span<const Bound> epsilons, double Bound::*end) {
  std::vector<double> ends;
  ends.reserve(epsilons.size());
  for (const Bound& epsilon : epsilons) ends.push_back(epsilon.*end);
  return ends;
}

// Of k = ceil(percent n / 100), counted from 0.
std::size_t place_of(unsigned percent, std::size_t people) {
  return std::max<std::size_t>(1, (percent * people + 99) / 100) - 1;
}

double smallest(std::size_t place, std::vector<double> ends) {
  const auto at = ends.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(ends.begin(), at, ends.end());
  return *at;
}

struct SortedEnds {
  std::vector<double> lower, upper;
};
SortedEnds sorted_ends(std::span<const Bound> epsilons) {
  SortedEnds ends = {.lower = ends_of(epsilons, &Bound::lower),
                     .upper = ends_of(epsilons, &Bound::upper)};
  std::sort(ends.lower.begin(), ends.lower.end());
  std::sort(ends.upper.begin(), ends.upper.end());
  return ends;
}

}  // namespace

Bound spent_by(unsigned percent, std::span<const Bound> epsilons) {
  check_anybody(epsilons);
  if (percent > 100) refuse("share", percent, "at most 100 percent");
  const std::size_t place = place_of(percent, epsilons.size());
  return {.lower = smallest(place, ends_of(epsilons, &Bound::lower)),
          .upper = smallest(place, ends_of(epsilons, &Bound::upper))};
}

std::string quantile_name(std::size_t i) { return fmt::format("{}", kPercents[i] / 100.0); }

Quantiles quantiles_of(std::span<const Bound> epsilons) {
  check_anybody(epsilons);
  const SortedEnds ends = sorted_ends(epsilons);
  Quantiles found{};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t place = place_of(kPercents[i], epsilons.size());
    found[i] = {.lower = ends.lower[place], .upper = ends.upper[place]};
  }
  return found;
}

// Both definitions lie between the two people beside percent (n - 1) / 100, counted from 0.
bool can_be_quantiles(const Quantiles& given, std::span<const Bound> epsilons) {
  if (epsilons.empty()) return false;
  const SortedEnds ends = sorted_ends(epsilons);
  const std::size_t last = epsilons.size() - 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::size_t before = kPercents[i] * last / 100, after = std::min(before + 1, last);
    const auto is_between = [&](const std::vector<double>& sorted, double value) {
      return sorted[before] <= value && value <= sorted[kPercents[i] == 0 ? before : after];
    };
    if (!is_between(ends.lower, given[i].lower) || !is_between(ends.upper, given[i].upper)) {
      return false;
    }
  }
  return true;
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
