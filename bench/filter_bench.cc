// One step of the individual filter over many people, beside a plain copy in the same run. Bytes
// per second count what must move: per person 4 (norm) + 8 and 8 (spent, read and written) + 1
// (mask); for the copy each byte read and written. Arguments: people, threads.

#include <benchmark/benchmark.h>
#include <omp.h>

#include <cstring>
#include <random>
#include <vector>

#include "ration/control/filter.h"
#include "ration/control/gdp_currency.h"

namespace ration {
namespace {

std::vector<float> random_norms(std::size_t people) {
  std::vector<float> norms(people);
  std::mt19937 generator(1);
  for (float& x : norms) x = static_cast<float>(generator()) * 0x1p-31F;
  return norms;
}

void FilterStep(benchmark::State& state) {
  const auto people = static_cast<std::size_t>(state.range(0));
  omp_set_num_threads(static_cast<int>(state.range(1)));
  const std::vector<float> norms = random_norms(people);
  std::vector<std::uint8_t> mask(people);
  Filter filter(people, gdp_currency(), MuBudget{0.5});
  for (auto _ : state) {
    filter.admit({.noise = 10}, norms, mask);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 21);
  omp_set_num_threads(omp_get_num_procs());
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

}  // namespace
}  // namespace ration
