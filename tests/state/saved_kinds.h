// What can be saved, each kind as the tests use it: made at random, led through a step, and all it
// remembers as something to compare.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

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

inline const std::vector<Order> kOrders = {1.5, 3, 8};
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
inline Levels random_gdp_levels(oracle::Random& random) {
  return random.coin(0.5) ? gdp_levels(random_budget(random)) : gdp_levels(random_list(random));
}
inline Levels random_renyi_levels(oracle::Random& random) {
  return random.coin(0.5) ? renyi_levels(MuBudget{random.uniform(0.3, 2)}, kOrders)
                          : renyi_levels(random_list(random), kOrders);
}

template <class Saved>
struct Kind;

template <>
struct Kind<Accounts> {
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
  static auto remembered(const Accounts& accounts) { return accounts.state(); }
};

template <class Filter, bool with_sampling>
struct GlobalFilterKind {
  static constexpr bool sampling = with_sampling;
  static std::vector<std::uint64_t> go_on(Filter& filter, const Move& move) {
    return {filter.admit(move.step)};
  }
  static auto remembered(const Filter& filter) { return filter.state(); }
};
template <class Filter, bool with_sampling>
struct IndividualFilterKind {
  static constexpr bool sampling = with_sampling;
  static std::vector<std::uint64_t> go_on(Filter& filter, const Move& move) {
    std::vector<std::uint8_t> mask(kPeople);
    filter.admit(move.step, move.norms, mask);
    return {mask.begin(), mask.end()};
  }
  static auto remembered(const Filter& filter) { return filter.state(); }
};
template <>
struct Kind<GdpFilter> : GlobalFilterKind<GdpFilter, false> {
  static constexpr const char* name = "gdp-filter";
  static GdpFilter fresh(oracle::Random& random) { return GdpFilter(random_budget(random)); }
};
template <>
struct Kind<RenyiFilter> : GlobalFilterKind<RenyiFilter, true> {
  static constexpr const char* name = "renyi-filter";
  static RenyiFilter fresh(oracle::Random& random) { return {kOrders, random_budget(random)}; }
};
template <>
struct Kind<IndividualGdpFilter> : IndividualFilterKind<IndividualGdpFilter, false> {
  static constexpr const char* name = "individual-gdp-filter";
  static IndividualGdpFilter fresh(oracle::Random& random) {
    return {kPeople, random_budgets(random)};
  }
};
template <>
struct Kind<IndividualRenyiFilter> : IndividualFilterKind<IndividualRenyiFilter, true> {
  static constexpr const char* name = "individual-renyi-filter";
  static IndividualRenyiFilter fresh(oracle::Random& random) {
    return {kPeople, kOrders, random_budgets(random)};
  }
};

template <class Odometer, bool with_sampling>
struct GlobalOdometerKind {
  static constexpr bool sampling = with_sampling;
  static std::vector<std::uint64_t> go_on(Odometer& odometer, const Move& move) {
    const std::uint64_t level = odometer.level_after(move.step);
    odometer.charge(move.step);
    return {level};
  }
};
template <class Odometer, bool with_sampling>
struct IndividualOdometerKind {
  static constexpr bool sampling = with_sampling;
  static std::vector<std::uint64_t> go_on(Odometer& odometer, const Move& move) {
    std::vector<std::uint64_t> levels(kPeople);
    odometer.levels_after(move.step, move.norms, levels);
    odometer.charge(move.step, move.norms);
    return levels;
  }
  static auto remembered(const Odometer& odometer) {
    const auto totals = odometer.totals();
    return std::tuple(odometer.levels().rows(), odometer.levels().repeats(), odometer.steps(),
                      std::vector<Units>(totals.begin(), totals.end()));
  }
};
template <>
struct Kind<GdpOdometer> : GlobalOdometerKind<GdpOdometer, false> {
  static constexpr const char* name = "gdp-odometer";
  static GdpOdometer fresh(oracle::Random& random) {
    return GdpOdometer(random_gdp_levels(random));
  }
  static auto remembered(const GdpOdometer& odometer) {
    return std::tuple(odometer.levels().rows(), odometer.levels().repeats(), odometer.total());
  }
};
template <>
struct Kind<RenyiOdometer> : GlobalOdometerKind<RenyiOdometer, true> {
  static constexpr const char* name = "renyi-odometer";
  static RenyiOdometer fresh(oracle::Random& random) {
    return {kOrders, random_renyi_levels(random)};
  }
  static auto remembered(const RenyiOdometer& odometer) {
    const auto totals = odometer.totals();
    return std::tuple(odometer.levels().rows(), odometer.levels().repeats(),
                      std::vector<Units>(totals.begin(), totals.end()));
  }
};
template <>
struct Kind<IndividualGdpOdometer> : IndividualOdometerKind<IndividualGdpOdometer, false> {
  static constexpr const char* name = "individual-gdp-odometer";
  static IndividualGdpOdometer fresh(oracle::Random& random) {
    return {kPeople, random_gdp_levels(random)};
  }
};
template <>
struct Kind<IndividualRenyiOdometer> : IndividualOdometerKind<IndividualRenyiOdometer, true> {
  static constexpr const char* name = "individual-renyi-odometer";
  static IndividualRenyiOdometer fresh(oracle::Random& random) {
    return {kPeople, kOrders, random_renyi_levels(random)};
  }
};

}  // namespace ration
