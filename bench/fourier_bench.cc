// The Fourier accountant: both directions, from a cold start inside a running process, and a table
// of noise-ratio buckets for many people.

#include <benchmark/benchmark.h>

#include "ration/compose/accountants.h"
#include "ration/compose/fourier_table.h"

namespace ration {
namespace {

void HomogeneousPlanOnAGrid(benchmark::State& state) {
  const Plan plan = {entry({.noise = 2, .rate = 0.005, .steps = 10'000})};
  for (auto _ : state) {
    benchmark::DoNotOptimize(fourier::at_delta(plan, 1e-6, {.grid = 1e-4}));
  }
}
BENCHMARK(HomogeneousPlanOnAGrid)->Unit(benchmark::kMillisecond);

void LaplaceNoise(benchmark::State& state) {
  const Plan plan = {{Laplace{.noise = 10}, 100}};
  for (auto _ : state) benchmark::DoNotOptimize(fourier::at_delta(plan, 1e-6));
}
BENCHMARK(LaplaceNoise)->Unit(benchmark::kMillisecond);

// One person's delta by Plancherel: 100 buckets, 2^17 points, both directions.
void PersonFromATable(benchmark::State& state) {
  const fourier::Table table(fourier::geometric_noises({.least = 2, .most = 30, .count = 100}),
                             {.rate = 0.005, .step = 2e-4, .most = 10});
  const auto at = table.at(1);
  const std::vector<double> counts(100, 100);
  for (auto _ : state) benchmark::DoNotOptimize(table.delta(counts, at));
}
BENCHMARK(PersonFromATable)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ration
