// Certified Renyi divergences and what is made of them.

#include <benchmark/benchmark.h>

#include "ration/compose/accountants.h"
#include "ration/loss/rdp.h"

namespace ration {
namespace {

const SubsampledGaussian kMechanism = {.noise = 2, .rate = 0.005};

void CertifiedDivergence(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(rdp::divergence(kMechanism, 20.5, Direction::remove));
}
BENCHMARK(CertifiedDivergence)->Unit(benchmark::kMicrosecond);

// The same quadrature in plain doubles: what certification costs.
void EstimatedDivergence(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(rdp::log_moment_estimate(kMechanism, 19.5, Direction::remove));
  }
}
BENCHMARK(EstimatedDivergence)->Unit(benchmark::kMicrosecond);

void RenyiEpsilon(benchmark::State& state) {
  const Plan plan = {entry({.noise = 2, .rate = 0.005, .steps = 10000})};
  for (auto _ : state) benchmark::DoNotOptimize(renyi::at_delta(plan, 1e-6));
}
BENCHMARK(RenyiEpsilon)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ration
