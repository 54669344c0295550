#include "ration/results/group_means.h"

#include <limits>
#include <string>

#include "ration/numeric/directed.h"

namespace ration::results {
namespace {

template <class Value, class Sum>
std::vector<Sum> totals_of(std::span<const Value> values, const Groups& groups) {
  std::vector<Sum> totals(1 + groups.labels.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    totals[0] += static_cast<Sum>(values[i]);
    if (!groups.labels.empty()) totals[1 + groups.of_person[i]] += static_cast<Sum>(values[i]);
  }
  return totals;
}

}  // namespace

std::vector<std::uint64_t> sums_of(std::span<const std::uint8_t> mask, const Groups& groups) {
  return totals_of<std::uint8_t, std::uint64_t>(mask, groups);
}

namespace {

template <class Value>
std::vector<double> means(std::span<const Value> values, const Groups& groups) {
  const std::vector<std::uint8_t> ones(values.size(), 1);
  const auto counts = sums_of(ones, groups);
  auto means = totals_of<Value, double>(values, groups);
  for (std::size_t g = 0; g < means.size(); ++g) means[g] /= static_cast<double>(counts[g]);
  return means;
}

}  // namespace

std::vector<double> means_of(std::span<const float> values, const Groups& groups) {
  return means(values, groups);
}
std::vector<double> means_of(std::span<const double> values, const Groups& groups) {
  return means(values, groups);
}

std::vector<double> upper_means_of(std::span<const Bound> epsilons, const Groups& groups) {
  const std::vector<std::uint8_t> ones(epsilons.size(), 1);
  const auto counts = sums_of(ones, groups);
  std::vector<double> means(counts.size());
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    const auto add = [&](double& sum) { sum = add_up(sum, epsilons[i].upper); };
    add(means[0]);
    if (!groups.labels.empty()) add(means[1 + groups.of_person[i]]);
  }
  for (std::size_t g = 0; g < means.size(); ++g) {
    const auto people = static_cast<double>(counts[g]);
    means[g] = people > 0 ? div_up(means[g], people) : std::numeric_limits<double>::quiet_NaN();
  }
  return means;
}

}  // namespace ration::results
