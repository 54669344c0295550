// What a tight filter costs before a run: prices and delta of the worst adversary, certified, both
// directions, one core. Rows: rate, noise, steps, delta of the settings of
// docs/math/tight_filter.md. Counters: eps of the filter over the tight eps of the steps that it
// admits, at ratio 1, 2, 4, 16.

#include <benchmark/benchmark.h>

#include "ration/compose/compose.h"
#include "ration/control/worst_adversary.h"

namespace ration {
namespace {

struct Setting {
  double rate, noise;
  std::uint32_t steps;
  double delta;
  std::uint32_t last_steps;
};
constexpr Setting kSettings[] = {
    {0.005, 2, 10000, 1e-6, 15},   {0.01, 1, 1000, 1e-5, 12}, {0.02, 1.0777, 700, 1e-5, 7},
    {0.001, 0.8, 20000, 1e-6, 89}, {0.1, 5, 1000, 1e-5, 7},
};

PriceRule rule_of(const Setting& s) {
  return {.step = {.noise = s.noise, .rate = s.rate}, .tilt = 1, .last_steps = s.last_steps};
}

void SearchOfPrices(benchmark::State& state) {
  const Setting& s = kSettings[state.range(0)];
  for (auto _ : state) benchmark::DoNotOptimize(best_rule(rule_of(s), s.steps, s.delta));
}
BENCHMARK(SearchOfPrices)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

void WorstAdversaryOfAList(benchmark::State& state) {
  const Setting& s = kSettings[state.range(0)];
  const PriceRule rule = best_rule(rule_of(s), s.steps, s.delta);
  const PriceList list = price_list(rule);
  const Units budget = s.steps * PriceList::kWholeStep;
  double epsilon = 0;
  for (auto _ : state)
    epsilon = WorstAdversary(list, s.steps, s.delta).epsilon(s.delta, budget).upper;
  state.counters["tilt"] = rule.tilt;
  for (const int ratio : {1, 2, 4, 11, 16}) {
    const auto steps =
        static_cast<double>(list.steps_for({.noise = ratio * s.noise, .rate = s.rate}, budget));
    const Plan plan = {entry({.noise = ratio * s.noise, .rate = s.rate, .steps = steps})};
    state.counters["ratio" + std::to_string(ratio)] =
        epsilon / compose(plan, s.delta).epsilon.upper;
  }
}
BENCHMARK(WorstAdversaryOfAList)->DenseRange(0, 4)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace ration
