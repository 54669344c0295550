// Filling everybody's accounts from norms: 60,000 people, 256 buckets, log-normal norms.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "ration/individual/accounts.h"

namespace ration {
namespace {

constexpr std::size_t kPeople = 60'000;

// Each person has a typical norm of their own, and each step moves it.
std::vector<float> norms_of(std::size_t steps) {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  std::vector<float> typical(kPeople), norms(steps * kPeople);
  for (float& x : typical) x = -2 + normal(generator);
  // The table of normal deviates is short: drawing 10^9 would take longer than what is measured.
  std::vector<float> deviates(1 << 16);
  for (float& x : deviates) x = std::exp(0.5F * normal(generator));
  for (float& x : typical) x = std::exp(x);
  for (std::size_t i = 0; i < norms.size(); ++i) {
    norms[i] = typical[i % kPeople] * deviates[generator() >> 16];
  }
  return norms;
}

void report(benchmark::State& state, std::size_t steps) {
  const double charges = static_cast<double>(state.iterations()) * static_cast<double>(steps) *
                         static_cast<double>(kPeople);
  state.counters["per_person_and_step"] =
      benchmark::Counter(charges, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void FillManySteps(benchmark::State& state) {
  const auto steps = static_cast<std::size_t>(state.range(0));
  const double rate = static_cast<double>(state.range(1)) / 1000;
  const auto norms = norms_of(steps);
  Accounts accounts(kPeople, Buckets::from(2));
  const NormTable<float> table = norm_table(norms, kPeople);
  const Step step = {.noise = 2, .rate = rate};
  accounts.record(step, std::span(norms).first(kPeople));  // asks for memory
  for (auto _ : state) accounts.record(step, table);
  report(state, steps);
}
BENCHMARK(FillManySteps)->Args({2000, 5})->Args({2000, 1000})->Unit(benchmark::kMillisecond);

void FillOneStep(benchmark::State& state) {
  const double rate = static_cast<double>(state.range(0)) / 1000;
  const auto norms = norms_of(100);
  Accounts accounts(kPeople, Buckets::from(2));
  std::size_t step = 0;
  for (auto _ : state) {
    accounts.record({.noise = 2, .rate = rate},
                    std::span(norms).subspan(step++ % 100 * kPeople, kPeople));
  }
  report(state, 1);
}
BENCHMARK(FillOneStep)->Arg(5)->Arg(1000)->Unit(benchmark::kMicrosecond);

// What bench/python_record.py does from Python, with the same norms.
void RecordAMillion(benchmark::State& state) {
  const double rate = static_cast<double>(state.range(0)) / 1000;
  std::vector<float> norms(1'000'000);
  for (std::uint32_t i = 0; i < norms.size(); ++i) {
    norms[i] = static_cast<float>(i * 2654435761U >> 8) * 0x1p-24F;
  }
  Accounts accounts(norms.size(), Buckets::from(2));
  const Step step = {.noise = 2, .rate = rate};
  accounts.record(step, norms);  // asks for memory
  for (auto _ : state) accounts.record(step, norms);
}
BENCHMARK(RecordAMillion)->Arg(5)->Arg(1000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ration
