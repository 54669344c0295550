// One step of the individual filter over many people, beside a plain copy in the same run. Bytes
// per second count what must move: per person 4 (norm) + 8 and 8 (spent, read and written) + 1
// (mask); for the copy each byte read and written. Arguments: people, threads. A step of the tight
// filter looks a price up: for norms that differ from person to person, and for norms all alike.

#include <benchmark/benchmark.h>
#include <omp.h>

#include <cstring>
#include <random>
#include <vector>

#include "ration/control/filter.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/tight_currency.h"

namespace ration {
namespace {

std::vector<float> random_norms(std::size_t people) {
  std::vector<float> norms(people);
  std::mt19937 generator(1);
  for (float& x : norms) x = static_cast<float>(generator()) * 0x1p-31F;
  return norms;
}

void admit_again_and_again(benchmark::State& state, Filter filter, const Step& step,
                           const std::vector<float>& norms) {
  omp_set_num_threads(static_cast<int>(state.range(1)));
  std::vector<std::uint8_t> mask(norms.size());
  for (auto _ : state) {
    filter.admit(step, norms, mask);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 21);
  omp_set_num_threads(omp_get_num_procs());
}

void FilterStep(benchmark::State& state) {
  const auto people = static_cast<std::size_t>(state.range(0));
  admit_again_and_again(state, Filter(people, gdp_currency(), MuBudget{0.5}), {.noise = 10},
                        random_norms(people));
}

void tight_step(benchmark::State& state, const std::vector<float>& norms) {
  static const CurrencyPtr currency =
      tight_currency({.noise = 1, .rate = 0.01}, Epsilon{1.83}, 1e-5);
  admit_again_and_again(
      state, Filter(norms.size(), currency, EpsilonBudget{.epsilon = 1.83, .delta = 1e-5}),
      {.noise = 1, .rate = 0.01}, norms);
}
void TightFilterStep(benchmark::State& state) {
  tight_step(state, random_norms(static_cast<std::size_t>(state.range(0))));
}
void TightFilterStepOfLikeNorms(benchmark::State& state) {
  tight_step(state, std::vector<float>(static_cast<std::size_t>(state.range(0)), 0.3F));
}

void PlainCopy(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0)) * 8;
  const int threads = static_cast<int>(state.range(1));
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes);
  for (auto _ : state) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int part = 0; part < threads; ++part) {
      const auto parts = static_cast<std::size_t>(threads);
      const std::size_t begin = bytes / parts * static_cast<std::size_t>(part);
      std::memcpy(to.data() + begin, from.data() + begin, bytes / parts);
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 16);
}

void arguments(benchmark::internal::Benchmark* b) {
  for (const int people : {10'000, 1'000'000, 100'000'000}) {
    for (const int threads : {1, 2}) b->Args({people, threads});
  }
  b->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(PlainCopy)->Apply(arguments);
BENCHMARK(FilterStep)->Apply(arguments);
BENCHMARK(TightFilterStep)->Apply(arguments);
BENCHMARK(TightFilterStepOfLikeNorms)->Apply(arguments);

}  // namespace
}  // namespace ration
