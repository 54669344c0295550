// Noise, samples and sums on the lattice, on one thread. "paper": 273,085 entries at sigma = 10.6,
// the clinical experiment.

#include <benchmark/benchmark.h>
#include <omp.h>

#include <random>
#include <vector>

#include "ration/noise/lattice.h"
#include "ration/noise/noise.h"
#include "ration/noise/normal_pair.h"
#include "ration/noise/secret_stream.h"

namespace ration {
namespace {

constexpr std::size_t kEntries = 273'085;

class OneThread {
 public:
  OneThread() { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(omp_get_num_procs()); }
};

void per_item(benchmark::State& state, std::size_t items) {
  state.counters["per_item"] =
      benchmark::Counter(static_cast<double>(items), benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
}

// The argument is the binary logarithm of the deviation in lattice steps: the finer the lattice,
// the more draws need more digits. The paper's is 26.
void Noise(benchmark::State& state) {
  const OneThread one;
  const SecretStream stream = SecretStream::of_seed(1);
  LatticeSum sum(kEntries, 1);
  const auto deviation = static_cast<double>(std::uint64_t{1} << state.range(0));
  std::uint64_t step = 0;
  for (auto _ : state) add_noise(sum, deviation, stream, step++);
  per_item(state, kEntries);
}
BENCHMARK(Noise)->Arg(12)->Arg(26)->Arg(34)->Arg(45)->Unit(benchmark::kMillisecond);

void RandomWords(benchmark::State& state) {  // the part of it that is ChaCha20
  const SecretStream stream = SecretStream::of_seed(1);
  std::vector<std::uint64_t> words(2048);
  for (auto _ : state) {
    stream.fill(Purpose::noise, 0, 0, words);
    benchmark::ClobberMemory();
  }
  per_item(state, words.size());
}
BENCHMARK(RandomWords);

void DecidePair(benchmark::State& state) {
  PairDigits digits = {.radius = {1, 2, 3, 4}, .angle = {5, 6}};
  for (auto _ : state) {
    digits.radius[0] += 0x9e3779b97f4a7c15;
    digits.angle[0] += 0xbf58476d1ce4e5b9;
    benchmark::DoNotOptimize(decide_pair(digits, 1e8));
  }
}
BENCHMARK(DecidePair);

void LatticeAdd(benchmark::State& state) {
  const auto entries = static_cast<std::size_t>(state.range(0));
  std::mt19937 generator(1);
  std::normal_distribution<float> normal(0, 1e-3F);
  std::vector<float> block(entries);
  for (float& x : block) x = normal(generator);
  LatticeSum sum(entries, lattice_step(1.0, entries));
  for (auto _ : state) sum.add(block);
  per_item(state, entries);
}
BENCHMARK(LatticeAdd)->Arg(10'000)->Arg(263'000)->Unit(benchmark::kMicrosecond);

void Sample(benchmark::State& state) {
  const OneThread one;
  const SecretStream stream = SecretStream::of_seed(1);
  std::uint64_t step = 0;
  for (auto _ : state) benchmark::DoNotOptimize(poisson_sample(60'000, 0.005, stream, step++));
  per_item(state, 60'000);
}
BENCHMARK(Sample)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ration
