// Certified Gaussian DP in batches, beside the plain formula that certifies nothing.

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "ration/loss/gdp.h"

namespace ration {
namespace {

struct Inputs {
  std::vector<double> epsilon, mu, delta;
  std::vector<Bound> out;
};

// mu from 1e-3 to 10, delta from 1e-12 to 0.1, and the eps that belong to them.
Inputs inputs() {
  constexpr std::size_t kCount = 4096;
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  Inputs in;
  for (std::size_t i = 0; i < kCount; ++i) {
    in.mu.push_back(std::pow(10, -3 + 4 * uniform(generator)));
    in.delta.push_back(std::pow(10, -12 + 11 * uniform(generator)));
  }
  in.out.resize(kCount);
  gdp::epsilons(in.mu, in.delta, in.out);
  for (const Bound& e : in.out) in.epsilon.push_back(e.upper);
  return in;
}

void report(benchmark::State& state, std::size_t values) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values));
  state.counters["per_value"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(values),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void CertifiedDelta(benchmark::State& state) {
  Inputs in = inputs();
  for (auto _ : state) {
    gdp::deltas(in.epsilon, in.mu, in.out);
    benchmark::DoNotOptimize(in.out.data());
  }
  report(state, in.out.size());
}
BENCHMARK(CertifiedDelta);

void CertifiedEpsilon(benchmark::State& state) {
  Inputs in = inputs();
  for (auto _ : state) {
    gdp::epsilons(in.mu, in.delta, in.out);
    benchmark::DoNotOptimize(in.out.data());
  }
  report(state, in.out.size());
}
BENCHMARK(CertifiedEpsilon);

double plain_delta(double epsilon, double mu) {
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  return phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
}

// The baseline: the formula as it is printed, with its cancellation and overflow.
void PlainDelta(benchmark::State& state) {
  const Inputs in = inputs();
  std::vector<double> out(in.mu.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = plain_delta(in.epsilon[i], in.mu[i]);
    benchmark::DoNotOptimize(out.data());
  }
  report(state, out.size());
}
BENCHMARK(PlainDelta);

void OneEpsilon(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(gdp::epsilon({.mu = 1, .delta = 1e-5}));
  report(state, 1);
}
BENCHMARK(OneEpsilon);

void OneMu(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(gdp::mu({.epsilon = 1, .delta = 1e-5}));
  report(state, 1);
}
BENCHMARK(OneMu);

}  // namespace
}  // namespace ration
