#include "ration/control/promise.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <variant>
#include <vector>

namespace ration {
namespace {

// One person of each budget that somebody has.
std::vector<std::size_t> one_of_each(const IndividualGdpFilter& filter) {
  const std::vector<Units>& budgets = filter.state().budgets;
  std::vector<std::size_t> people(budgets.size());
  std::iota(people.begin(), people.end(), std::size_t{0});
  const auto less = [&](std::size_t a, std::size_t b) { return budgets[a] < budgets[b]; };
  const auto same = [&](std::size_t a, std::size_t b) { return budgets[a] == budgets[b]; };
  std::sort(people.begin(), people.end(), less);
  people.erase(std::unique(people.begin(), people.end(), same), people.end());
  return people;
}
std::vector<std::size_t> one_of_each(const IndividualRenyiFilter& filter) {
  const std::vector<std::uint32_t>& kind_of = filter.state().kind_of;
  if (kind_of.empty()) return {0};
  std::vector<bool> seen(filter.state().budgets.size() / filter.state().orders.size());
  std::vector<std::size_t> people;
  for (std::size_t i = 0; i < kind_of.size(); ++i) {
    if (seen[kind_of[i]]) continue;
    seen[kind_of[i]] = true;
    people.push_back(i);
  }
  return people;
}

template <class Filter>
WholeBudget largest_budget(const Filter& filter, Delta delta) {
  const std::vector<std::size_t> people = one_of_each(filter);
  Bound largest = budget_epsilon(filter, people.front(), delta);
  for (const std::size_t person : std::span(people).subspan(1)) {
    largest = max(largest, budget_epsilon(filter, person, delta));
  }
  return {.epsilon = largest, .guarantee = Filter::guarantee()};
}

}  // namespace

WholeBudget whole_budget(const IndividualGdpFilter& filter, Delta delta) {
  return largest_budget(filter, delta);
}
WholeBudget whole_budget(const IndividualRenyiFilter& filter, Delta delta) {
  return largest_budget(filter, delta);
}
WholeBudget whole_budget(const IndividualFilter& filter, Delta delta) {
  return std::visit([&](const auto& chosen) { return largest_budget(chosen, delta); }, filter);
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

}  // namespace ration
