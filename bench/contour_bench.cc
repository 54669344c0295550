// The tight accountant: both directions, from a cold start inside a running process.

#include <benchmark/benchmark.h>

#include <cmath>

#include "ration/compose/accountants.h"
#include "ration/compose/calibrate.h"

namespace ration {
namespace {

void HomogeneousPlan(benchmark::State& state) {
  const Plan plan = {
      entry({.noise = 2, .rate = 0.005, .steps = static_cast<double>(state.range(0))})};
  for (auto _ : state) benchmark::DoNotOptimize(contour::at_delta(plan, 1e-6));
}
// Ten thousand steps, and a hundred million: the cost must not grow with them.
BENCHMARK(HomogeneousPlan)->Arg(10'000)->Arg(100'000'000)->Unit(benchmark::kMillisecond);

void HundredNoiseLevels(benchmark::State& state) {
  Plan plan;
  for (int i = 0; i < 100; ++i) {
    plan.push_back(entry({.noise = 2 + 38.0 * i / 99, .rate = 0.005, .steps = 100}));
  }
  for (auto _ : state) benchmark::DoNotOptimize(contour::at_delta(plan, 1e-6));
}
BENCHMARK(HundredNoiseLevels)->Unit(benchmark::kMillisecond);

void Curve(benchmark::State& state, Method method) {
  Plan plan;
  for (int i = 0; i < 200; ++i) {
    plan.push_back(entry({.noise = 2 * std::exp(0.02 * i), .rate = 0.005, .steps = 50}));
  }
  const CurveRange range = {.from = 0, .to = 0.5, .points = 41};
  for (auto _ : state) benchmark::DoNotOptimize(delta_curve(plan, {method}, range));
}
// delta over a range of eps, as for one person of many noise levels.
void CurveOfTwoHundredNoiseLevels(benchmark::State& state) { Curve(state, Method::contour); }
void RenyiCurveOfTwoHundredNoiseLevels(benchmark::State& state) { Curve(state, Method::rdp); }
BENCHMARK(CurveOfTwoHundredNoiseLevels)->Unit(benchmark::kMillisecond);
BENCHMARK(RenyiCurveOfTwoHundredNoiseLevels)->Unit(benchmark::kMillisecond);

void CalibrateNoiseTightly(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        calibrate_noise({.epsilon = 2, .delta = 1e-5}, {.rate = 0.01, .steps = 1000}));
  }
}
BENCHMARK(CalibrateNoiseTightly)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ration
