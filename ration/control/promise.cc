#include "ration/control/promise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace ration {
namespace {

// One person of each budget that somebody has.
std::vector<std::size_t> one_of_each(const Filter& filter) {
  const std::vector<Units>& budgets = filter.state().budgets;
  const std::vector<std::uint32_t>& kind_of = filter.state().kind_of;
  const std::size_t places = filter.currency().places(), rows = budgets.size() / places;
  if (kind_of.empty()) {  // one for all, or person i has row i
    std::vector<std::size_t> people(rows);
    std::iota(people.begin(), people.end(), std::size_t{0});
    const auto row = [&](std::size_t i) { return std::span(budgets).subspan(i * places, places); };
    std::sort(people.begin(), people.end(), [&](std::size_t a, std::size_t b) {
      return std::lexicographical_compare(row(a).begin(), row(a).end(), row(b).begin(),
                                          row(b).end());
    });
    const auto same = [&](std::size_t a, std::size_t b) {
      return std::equal(row(a).begin(), row(a).end(), row(b).begin());
    };
    people.erase(std::unique(people.begin(), people.end(), same), people.end());
    return people;
  }
  std::vector<bool> seen(rows);
  std::vector<std::size_t> people;
  for (std::size_t i = 0; i < kind_of.size(); ++i) {
    if (seen[kind_of[i]]) continue;
    seen[kind_of[i]] = true;
    people.push_back(i);
  }
  return people;
}

}  // namespace

WholeBudget whole_budget(const Filter& filter, Delta delta) {
  const std::vector<std::size_t> people = one_of_each(filter);
  Bound largest = filter.budget(people.front(), delta);
  for (const std::size_t person : std::span(people).subspan(1)) {
    largest = max(largest, filter.budget(person, delta));
  }
  return {.epsilon = largest, .guarantee = filter.guarantee()};
}

Promise promise_of(const WorstCase& run, const std::optional<WholeBudget>& budget) {
  Promise promise = {.epsilon = run.epsilon, .worst_case = run.epsilon, .guarantee = run.guarantee};
  if (!budget) return promise;
  promise.budget = budget->epsilon;
  promise.by_filter = !run.guarantee.certified || budget->epsilon.upper < run.epsilon.upper;
  if (promise.by_filter) {
    promise.epsilon = budget->epsilon;
    promise.guarantee = budget->guarantee;
  }
  return promise;
}

std::string across_runs(const Bound& limit) {
  return fmt::format(
      "everybody's total over all runs stays within their own budget in the ledger; this run's "
      "part "
      "of it is at most epsilon {}",
      rounded_up(limit.upper, 6));
}

}  // namespace ration
