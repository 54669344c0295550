#include "ration/control/filter.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/float_environment.h"
#include "ration/base/people.h"
#include "ration/control/one_reading.h"
#include "ration/individual/accounts_check.h"
#include "ration/individual/norms.h"
#include "ration/individual/spend.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

void append(std::vector<Units>& rows, const Row& row) {
  rows.insert(rows.end(), row.begin(), row.end());
}

// Rows of budgets as the currency keeps them.
std::vector<Units> rows_of(const Budgets& budgets, std::size_t people, const Currency& currency) {
  check_budgets(budgets, people);
  std::vector<Row> kinds;
  for (const Budget& budget : budgets.kinds) kinds.push_back(currency.units_of(budget));
  std::vector<Units> rows;
  if (budgets.kind_of.empty() || currency.has_kinds()) {
    for (const Row& kind : kinds) append(rows, kind);
  } else {
    rows.reserve(people * currency.places());
    for (const std::uint32_t kind : budgets.kind_of) append(rows, kinds[kind]);
  }
  return rows;
}

[[noreturn]] void refuse_state(const std::string& reason) {
  throw Error("state of a filter is wrong: " + reason);
}

// Do the lists of a state fit each other?
void check_lists(const Filter::State& state) {
  const std::size_t places = state.currency->places(), people = state.spent.size() / places,
                    rows = state.budgets.size() / places;
  bool fit = state.spent.size() == people * places && state.budgets.size() == rows * places;
  if (state.scope == Scope::everybody_at_once) {
    fit = fit && people == 1 && rows == 1 && state.kind_of.empty();
  } else if (!state.currency->has_kinds()) {
    if (rows == 0 || (rows != 1 && rows != people)) {
      refuse_state(fmt::format("{} people and {} budgets", people, rows));
    }
    fit = fit && state.kind_of.empty();
  } else {
    fit = fit && (state.kind_of.empty() ? rows == 1 : state.kind_of.size() == people);
    for (const std::uint32_t kind : state.kind_of) fit &= kind < rows;
  }
  if (!fit) refuse_state("its lists do not fit each other");
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

bool operator==(const Filter::State& a, const Filter::State& b) {
  return *a.currency == *b.currency && a.scope == b.scope && a.spent == b.spent &&
         a.budgets == b.budgets && a.kind_of == b.kind_of && a.steps == b.steps &&
         a.source == b.source;
}

Filter::Filter(CurrencyPtr currency, const Budget& budget)
    : state_{.currency = std::move(currency), .scope = Scope::everybody_at_once} {
  state_.budgets = state_.currency->units_of(budget);
  state_.spent.resize(state_.currency->places());
}

Filter::Filter(std::size_t people, CurrencyPtr currency, const Budgets& budgets)
    : state_{.currency = std::move(currency)} {
  state_.budgets = rows_of(budgets, people, *state_.currency);
  if (state_.currency->has_kinds()) state_.kind_of = budgets.kind_of;
  state_.spent.resize(people * state_.currency->places());
}

Filter::Filter(std::size_t people, CurrencyPtr currency, const Budget& budget)
    : Filter(people, std::move(currency), Budgets{.kinds = {budget}}) {}

Filter::Filter(State state) : state_(std::move(state)) {
  check_lists(state_);
  const std::size_t places = currency().places();
  for (auto rows = std::span<const Units>(state_.budgets); !rows.empty();
       rows = rows.subspan(places)) {
    if (limits_nothing(rows.first(places))) refuse_state("a budget is larger than any can be");
  }
  for (std::size_t i = 0; i < people(); ++i) {
    if (is_sound(spent_row(i), budget_row(i))) continue;
    refuse_state(scope() == Scope::each_person
                     ? fmt::format("person {} has spent more than their budget allows", i)
                     : "more is spent than the budget allows");
  }
}

void Filter::check_scope(Scope asked) const {
  if (asked == scope()) return;
  throw Error(scope() == Scope::each_person
                  ? "filter keeps a budget for each person: give everybody's norms"
                  : "filter is for everybody at once: give the step without norms");
}

// Of the people from `first` on, who have spent this.
Purses Filter::purses(std::size_t first, Units* spent) const {
  const std::size_t places = currency().places();
  const bool own = !currency().has_kinds() && state_.budgets.size() > places;
  const std::size_t stride = own ? places : 0;
  return {.places = places,
          .spent = spent,
          .budgets = state_.budgets.data() + first * stride,
          .stride = stride,
          .kind_of = state_.kind_of.empty() ? nullptr : state_.kind_of.data() + first};
}
Purses Filter::purses(std::size_t first) {
  return purses(first, state_.spent.data() + first * currency().places());
}
std::span<const Units> Filter::budget_row(std::size_t person) const {
  const std::size_t places = currency().places();
  const std::size_t row = !state_.kind_of.empty()           ? state_.kind_of[person]
                          : state_.budgets.size() == places ? 0
                                                            : person;
  return {state_.budgets.data() + row * places, places};
}
std::span<const Units> Filter::spent_row(std::size_t person) const {
  const std::size_t places = currency().places();
  return {state_.spent.data() + person * places, places};
}

bool Filter::admit(const Step& step) {
  check_scope(Scope::everybody_at_once);
  const Price& price = prices_.of(currency(), step);
  const Row charge = price.worst_case();
  Units* const spent = state_.spent.data();
  const Units* const budget = state_.budgets.data();
  if (price.times_that_fit(charge, spent, budget, 1) == 0) return false;
  price.pay(charge, spent, budget, 1);
  ++state_.steps;
  return true;
}
bool Filter::admit(Mu mu) {
  check_scope(Scope::everybody_at_once);
  const Row charge = currency().charge(mu);
  if (!fits(charge, state_.spent.data(), state_.budgets.data())) return false;
  add_to(state_.spent.data(), charge);
  ++state_.steps;
  return true;
}

void Filter::admit(const Step& step, const Norms& norms, std::span<std::uint8_t> mask) {
  check_scope(Scope::each_person);
  Price& price = prices_.of(currency(), step);
  check_people(people(), size_of(norms), "norms");
  check_people(people(), mask.size(), "mask entries");
  if (price.is_ready() && currency().places() == 1) {
    std::visit([&](auto all) { admit_in_one_pass(price, all, mask); }, norms);
  } else {
    const OwnNorms own(norms, state_.steps);
    price.prepare(own.all());
    for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
      price.admit(own.part(from, count), purses(from), mask.data() + from);
    });
  }
  ++state_.steps;
}

// A tile with a wrong one is left alone, and then the others are undone. Whole units allow that
// exactly, if a place is limited, as a single one always is.
template <class Real>
void Filter::admit_in_one_pass(const Price& price, std::span<const Real> norms,
                               std::span<std::uint8_t> mask) {
  TilesOfNorms<Real> tiles(norms);
  const bool valid = tiles.each([&](std::size_t from, std::span<const Real> own) {
    price.admit(own, purses(from), mask.data() + from);
  });
  if (valid) return;
  const bool undone = tiles.each_again([&](std::size_t from, std::span<const Real> own) {
    price.each_charge(own, [&](std::size_t i, std::span<const Units> charge) {
      if (mask[from + i] == 0) return;
      price.give_back(charge, state_.spent.data() + from + i, budget_row(from + i).data());
    });
  });
  if (!undone) {
    throw Error(
        "norms changed while they were read, and some were no norms: the step is refused, and "
        "people may stay charged for it");
  }
  check_norms(norms, state_.steps);  // refuses, unless what was wrong has changed
  refuse_changed_norms();
}

void Filter::would_admit(const Step& step, std::size_t first, const Norms& norms,
                         std::span<std::uint8_t> mask) const {
  check_scope(Scope::each_person);
  const std::size_t count = size_of(norms), places = currency().places();
  const auto price = currency().price(step);
  check_people(count, mask.size(), "mask entries");
  if (first > people() || count > people() - first) {
    refuse("people", static_cast<double>(first + count), fmt::format("at most {}", people()));
  }
  const OwnNorms own(norms, state_.steps);
  const DefaultFloatEnvironment environment;
  price->prepare(own.all());
  const auto from = state_.spent.begin() + static_cast<std::ptrdiff_t>(first * places);
  std::vector<Units> spent(from, from + static_cast<std::ptrdiff_t>(count * places));
  price->admit(own.all(), purses(first, spent.data()), mask.data());
}

const Price& Filter::prepared(const Step& step, const OwnNorms& norms) {
  Price& price = prices_.of(currency(), step);
  price.prepare(norms.all());
  return price;
}
OwnNorms Filter::own_norms(const Norms& norms) const {
  check_scope(Scope::each_person);
  check_people(people(), size_of(norms), "norms");
  return {norms, state_.steps};
}

template <bool kCharge>
void Filter::count_times(const Step& step, const Norms& norms, std::uint32_t most,
                         std::span<std::uint32_t> times) {
  check_people(people(), times.size(), "times");
  const OwnNorms own = own_norms(norms);
  const Price& price = prepared(step, own);
  for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
    const Purses some = purses(from);
    price.each_charge(own.part(from, count), [&](std::size_t i, std::span<Units> charge) {
      Units* spent = some.spent + i * some.places;
      const Units* budget = some.budget_of(i);
      times[from + i] = price.times_that_fit(charge, spent, budget, most);
      if (kCharge) price.pay(charge, spent, budget, times[from + i]);
    });
  });
}
void Filter::admit_repeatedly(const Step& step, const Norms& norms, std::uint32_t steps,
                              std::span<std::uint32_t> times) {
  count_times<true>(step, norms, steps, times);
  state_.steps += steps;
}
void Filter::could_admit(const Step& step, const Norms& norms, std::uint32_t most,
                         std::span<std::uint32_t> times) {
  count_times<false>(step, norms, most, times);
}

template <class Real>
void Filter::admit_scaled_real(const Step& step, std::span<const Real> norms,
                               std::span<Real> factors) {
  check_people(people(), factors.size(), "factors");
  const OwnNorms copy = own_norms(norms);
  const auto own = std::get<std::span<const Real>>(copy.all());
  const SpendRule* const rule = prepared(step, copy).square_rule();
  if (rule == nullptr) {
    throw Error(fmt::format("filter is {}: give gdp, under which a last contribution can be scaled",
                            currency().name()));
  }
  for_blocks_of_people(people(), [&](std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
      const Units charge = rule->charge_unchecked(own[i]);
      const Units left = budget_row(i)[0] - state_.spent[i];
      const bool fits = charge <= left;
      factors[i] = fits ? Real{1} : left == 0 ? Real{0} : factor_for<Real>(*rule, own[i], left);
      state_.spent[i] += fits ? charge : left;
    }
  });
  ++state_.steps;
}
void Filter::admit_scaled(const Step& step, std::span<const float> norms,
                          std::span<float> factors) {
  admit_scaled_real(step, norms, factors);
}
void Filter::admit_scaled(const Step& step, std::span<const double> norms,
                          std::span<double> factors) {
  admit_scaled_real(step, norms, factors);
}

Bound Filter::budget(std::size_t person, Delta delta) const {
  check_index("person", person, people());
  return currency().epsilon(budget_row(person), delta);
}
Bound Filter::spent(std::size_t person, Delta delta) const {
  check_index("person", person, people());
  Row row(spent_row(person).begin(), spent_row(person).end());
  raise_to_budget(person, row);
  return currency().epsilon(row, delta);
}
std::vector<Bound> Filter::spent(Delta delta) const {
  const std::size_t places = currency().places();
  std::vector<Units> rows = state_.spent;
  for (std::size_t i = 0; i < people(); ++i) {
    raise_to_budget(i, std::span(rows).subspan(i * places, places));
  }
  return currency().epsilons(rows, delta);
}
// The least budget that covers what a person has spent; their own does.
void Filter::raise_to_budget(std::size_t person, std::span<Units> row) const {
  currency().raise_to_budget(row);
  const std::span<const Units> budget = budget_row(person);
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = std::min(row[k], budget[k]);
}
std::optional<Bound> Filter::budget_mu(std::size_t person) const {
  check_index("person", person, people());
  return currency().mu(budget_row(person));
}
std::optional<Bound> Filter::spent_mu(std::size_t person) const {
  check_index("person", person, people());
  return currency().mu(spent_row(person));
}

}  // namespace ration
