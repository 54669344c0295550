#include "ration/control/individual_gdp_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/base/people.h"
#include "ration/control/admit_kernel.h"
#include "ration/control/gdp_filter.h"
#include "ration/individual/accounts_check.h"
#include "ration/individual/norms.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

std::vector<Units> units_of(const Budgets& budgets, std::size_t people) {
  check_budgets(budgets, people);
  std::vector<Units> kinds;
  kinds.reserve(budgets.kinds.size());
  for (const Budget& budget : budgets.kinds) kinds.push_back(gdp_units(budget));
  if (budgets.kind_of.empty()) return kinds;
  std::vector<Units> all;
  all.reserve(people);
  for (const std::uint32_t kind : budgets.kind_of) all.push_back(kinds[kind]);
  return all;
}

// The largest factor found for which the scaled norm, rounded up, costs no more than `left`.
template <class Real>
Real factor_for(const SpendRule& rule, double norm, Units left) {
  const double guess = std::sqrt(static_cast<double>(left)) / (norm * rule.scale());
  auto factor = static_cast<Real>(std::min(guess, 1.0));
  while (factor > 0 && rule.charge_unchecked(mul_up(norm, factor)) > left) {
    factor = std::nextafter(factor, Real{0});
  }
  return factor;
}

}  // namespace

IndividualGdpFilter::IndividualGdpFilter(std::size_t people, const Budget& budget)
    : IndividualGdpFilter(people, Budgets{.kinds = {budget}}) {}

IndividualGdpFilter::IndividualGdpFilter(std::size_t people, const Budgets& budgets)
    : state_{.spent = std::vector<Units>(people), .budgets = units_of(budgets, people)} {}

IndividualGdpFilter::IndividualGdpFilter(State state) : state_(std::move(state)) {
  if (state_.budgets.empty() || (state_.budgets.size() != 1 && state_.budgets.size() != people())) {
    throw Error(fmt::format("state of a filter is wrong: {} people and {} budgets", people(),
                            state_.budgets.size()));
  }
  if (*std::max_element(state_.budgets.begin(), state_.budgets.end()) > kLargestBudget) {
    throw Error("state of a filter is wrong: a budget is larger than any can be");
  }
  for (std::size_t i = 0; i < people(); ++i) {
    if (state_.spent[i] > budget_of(i)) {
      throw Error(fmt::format(
          "state of a filter is wrong: person {} has spent more than their budget allows", i));
    }
  }
}

template <class Real>
void IndividualGdpFilter::admit_real(const Step& step, std::span<const Real> norms,
                                     std::span<std::uint8_t> mask) {
  refuse_rate_below_one(step);
  check_people(people(), norms.size(), "norms");
  check_people(people(), mask.size(), "mask entries");
  const SpendRule rule(step);
  const bool common = state_.budgets.size() == 1;
  // One pass: norms are checked while they are in the cache. A block with a wrong one is left
  // alone, and then the others are undone, which whole units allow exactly.
  std::atomic<bool> wrong = false;
  for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
    if (!are_norms(norms.subspan(from, count))) {
      wrong = true;
      return;
    }
    admit_batch(rule, norms.data() + from,
                {.spent = state_.spent.data() + from,
                 .budgets = common ? nullptr : state_.budgets.data() + from,
                 .budget = state_.budgets[0]},
                mask.data() + from, count);
  });
  if (wrong) {
    for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
      if (!are_norms(norms.subspan(from, count))) return;
      for (std::size_t i = from; i < from + count; ++i) {
        if (mask[i] != 0) state_.spent[i] -= rule.charge_unchecked(norms[i]);
      }
    });
    check_norms(norms, state_.steps);  // refuses
  }
  ++state_.steps;
}

template <class Real>
void IndividualGdpFilter::admit_scaled_real(const Step& step, std::span<const Real> norms,
                                            std::span<Real> factors) {
  refuse_rate_below_one(step);
  check_people(people(), norms.size(), "norms");
  check_people(people(), factors.size(), "factors");
  check_norms(norms, state_.steps);
  const SpendRule rule(step);
  for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
      const Units charge = rule.charge_unchecked(norms[i]), left = budget_of(i) - state_.spent[i];
      const bool fits = charge <= left;
      factors[i] = fits ? Real{1} : left == 0 ? Real{0} : factor_for<Real>(rule, norms[i], left);
      state_.spent[i] += fits ? charge : left;
    }
  });
  ++state_.steps;
}

void IndividualGdpFilter::admit(const Step& step, std::span<const float> norms,
                                std::span<std::uint8_t> mask) {
  admit_real(step, norms, mask);
}
void IndividualGdpFilter::admit(const Step& step, std::span<const double> norms,
                                std::span<std::uint8_t> mask) {
  admit_real(step, norms, mask);
}
void IndividualGdpFilter::admit_scaled(const Step& step, std::span<const float> norms,
                                       std::span<float> factors) {
  admit_scaled_real(step, norms, factors);
}
void IndividualGdpFilter::admit_scaled(const Step& step, std::span<const double> norms,
                                       std::span<double> factors) {
  admit_scaled_real(step, norms, factors);
}

void IndividualGdpFilter::would_admit(const Step& step, std::size_t first,
                                      std::span<const float> norms,
                                      std::span<std::uint8_t> mask) const {
  refuse_rate_below_one(step);
  check_people(norms.size(), mask.size(), "mask entries");
  if (first > people() || norms.size() > people() - first) {
    refuse("people", static_cast<double>(first + norms.size()),
           fmt::format("at most {}", people()));
  }
  check_norms(norms, state_.steps);
  const DefaultFloatEnvironment environment;
  const SpendRule rule(step);
  const auto from = static_cast<std::ptrdiff_t>(first);
  std::vector<Units> spent(state_.spent.begin() + from,
                           state_.spent.begin() + from + static_cast<std::ptrdiff_t>(norms.size()));
  admit_batch(rule, norms.data(),
              {.spent = spent.data(),
               .budgets = state_.budgets.size() == 1 ? nullptr : state_.budgets.data() + first,
               .budget = state_.budgets[0]},
              mask.data(), norms.size());
}

template <bool kCharge>
void IndividualGdpFilter::count_times(const Step& step, std::span<const float> norms,
                                      std::uint32_t most, std::span<std::uint32_t> times) {
  refuse_rate_below_one(step);
  check_people(people(), norms.size(), "norms");
  check_people(people(), times.size(), "times");
  check_norms(norms, state_.steps);
  const SpendRule rule(step);
  for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
      const Units charge = rule.charge_unchecked(norms[i]), left = budget_of(i) - state_.spent[i];
      const Units fit = charge == 0 ? most : std::min<Units>(left / charge, most);
      times[i] = static_cast<std::uint32_t>(fit);
      if (kCharge) state_.spent[i] += fit * charge;
    }
  });
}

void IndividualGdpFilter::admit_repeatedly(const Step& step, std::span<const float> norms,
                                           std::uint32_t steps, std::span<std::uint32_t> times) {
  count_times<true>(step, norms, steps, times);
  state_.steps += steps;
}
void IndividualGdpFilter::could_admit(const Step& step, std::span<const float> norms,
                                      std::uint32_t most, std::span<std::uint32_t> times) {
  count_times<false>(step, norms, most, times);
}

Bound IndividualGdpFilter::spent(std::size_t person) const {
  check_index("person", person, people());
  return mu_of(state_.spent[person], 0);
}
Bound IndividualGdpFilter::budget(std::size_t person) const {
  check_index("person", person, people());
  return mu_of(budget_of(person), 0);
}

Guarantee IndividualGdpFilter::guarantee() {
  return {.theorem =
              "Individual Gaussian DP filter (Koskela, Tobaben, Honkela 2023): every "
              "person's sum of mu^2, steps chosen adaptively, stays within their budget",
          .adaptive = true,
          .certified = true};
}

}  // namespace ration
