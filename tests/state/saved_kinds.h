// What can be saved, each kind as the tests use it: made at random and led through a step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "ration/state/saved.h"
#include "tests/oracle/random.h"

namespace ration {

inline constexpr std::size_t kPeople = 17;

struct Move {
  Step step;
  std::vector<double> norms;
};
// `earlier` is what was decided before: an adaptive analyst looks at it.
inline Move next_move(oracle::Random& random, bool sampling, std::uint64_t earlier) {
  static constexpr double kNoises[] = {0.7, 1, 2, 5}, kRates[] = {1, 0.1, 0.01};
  const auto pick = [&](std::size_t count) {
    return static_cast<std::size_t>(random.uniform(0, static_cast<double>(count)));
  };
  Move move = {.step = {.noise = kNoises[(earlier + pick(2)) % 4],
                        .clip = random.coin(0.5) ? 1.0 : 2.0,
                        .rate = sampling ? kRates[pick(3)] : 1.0},
               .norms = {}};
  for (std::size_t i = 0; i < kPeople; ++i) {
    move.norms.push_back(random.coin(0.2)   ? 0
                         : random.coin(0.2) ? 3
                         : sampling ? 0.5 * static_cast<double>(pick(4))  // few cells of a table
                                    : random.log_uniform(1e-9, 2));
  }
  return move;
}

inline Budget random_budget(oracle::Random& random) {
  if (random.coin(0.3)) return EpsilonBudget{.epsilon = random.uniform(3, 9), .delta = 1e-2};
  return MuBudget{random.log_uniform(0.3, 4)};
}
inline Budgets random_budgets(oracle::Random& random) {
  Budgets budgets = {.kinds = {random_budget(random)}};
  if (random.coin(0.4)) return budgets;
  budgets.kinds.push_back(random_budget(random));
  for (std::size_t i = 0; i < kPeople; ++i) budgets.kind_of.push_back(random.coin(0.5) ? 1 : 0);
  return budgets;
}
inline std::vector<Budget> random_list(oracle::Random& random) {
  return {MuBudget{random.uniform(0.5, 1)}, MuBudget{2}, MuBudget{random.uniform(3, 5)}};
}
inline Levels random_levels(oracle::Random& random, const Currency& currency) {
  return random.coin(0.5) ? levels_of(currency, MuBudget{random.uniform(0.3, 2)})
                          : levels_of(currency, random_list(random));
}

struct AccountsKind {
  using Saved = Accounts;
  static constexpr const char* name = "accounts";
  static constexpr bool sampling = true;
  static Accounts fresh(oracle::Random& random) {
    std::vector<Noise> edges = {0.1};
    while (edges.size() < 12 && random.coin(0.8))
      edges.emplace_back(edges.back() * random.uniform(1.1, 3));
    return {kPeople, Buckets(edges)};
  }
  static std::vector<std::uint64_t> go_on(Accounts& accounts, const Move& move) {
    accounts.record(move.step, std::span<const double>(move.norms));
    return {};
  }
};

struct Gdp {
  static constexpr bool sampling = false;
  static CurrencyPtr currency() { return gdp_currency(); }
};
struct Renyi {
  static constexpr bool sampling = true;
  static CurrencyPtr currency() { return renyi_currency({1.5, 3, 8}); }
};

template <class In, Scope scope>
struct FilterKind : In {
  using Saved = Filter;
  static Filter fresh(oracle::Random& random) {
    if (scope == Scope::each_person) return {kPeople, In::currency(), random_budgets(random)};
    return {In::currency(), random_budget(random)};
  }
  static std::vector<std::uint64_t> go_on(Filter& filter, const Move& move) {
    if (scope == Scope::everybody_at_once) return {filter.admit(move.step)};
    std::vector<std::uint8_t> mask(kPeople);
    filter.admit(move.step, move.norms, mask);
    return {mask.begin(), mask.end()};
  }
};
struct GdpFilter : FilterKind<Gdp, Scope::everybody_at_once> {
  static constexpr const char* name = "gdp-filter";
};
struct IndividualGdpFilter : FilterKind<Gdp, Scope::each_person> {
  static constexpr const char* name = "individual-gdp-filter";
};
struct RenyiFilter : FilterKind<Renyi, Scope::everybody_at_once> {
  static constexpr const char* name = "renyi-filter";
};
struct IndividualRenyiFilter : FilterKind<Renyi, Scope::each_person> {
  static constexpr const char* name = "individual-renyi-filter";
};

template <class In, Scope scope>
struct OdometerKind : In {
  using Saved = Odometer;
  static Odometer fresh(oracle::Random& random) {
    const CurrencyPtr currency = In::currency();
    if (scope == Scope::each_person) return {kPeople, currency, random_levels(random, *currency)};
    return {currency, random_levels(random, *currency)};
  }
  static std::vector<std::uint64_t> go_on(Odometer& odometer, const Move& move) {
    std::vector<std::uint64_t> levels(kPeople);
    if (scope == Scope::everybody_at_once) {
      levels = {odometer.level_after(move.step)};
      odometer.record(move.step);
    } else {
      odometer.levels_after(move.step, move.norms, levels);
      odometer.record(move.step, move.norms);
    }
    return levels;
  }
};
struct GdpOdometer : OdometerKind<Gdp, Scope::everybody_at_once> {
  static constexpr const char* name = "gdp-odometer";
};
struct IndividualGdpOdometer : OdometerKind<Gdp, Scope::each_person> {
  static constexpr const char* name = "individual-gdp-odometer";
};
struct RenyiOdometer : OdometerKind<Renyi, Scope::everybody_at_once> {
  static constexpr const char* name = "renyi-odometer";
};
struct IndividualRenyiOdometer : OdometerKind<Renyi, Scope::each_person> {
  static constexpr const char* name = "individual-renyi-odometer";
};

}  // namespace ration
