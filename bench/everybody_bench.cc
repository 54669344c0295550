// Everybody's tight eps: 60,000 people x 100 buckets x 10,000 steps at delta = 1e-6, both
// directions, upper ends, on one core. Compare with what one person costs alone, in contour_bench.

#include <benchmark/benchmark.h>
#include <omp.h>

#include <cmath>
#include <random>
#include <vector>

#include "ration/compose/fourier_table.h"
#include "ration/individual/epsilons.h"

namespace ration {
namespace {

constexpr std::size_t kPeople = 60'000;

// Each person's counts are bell-shaped over the buckets, around a place of their own.
Accounts accounts_of(std::size_t buckets, std::uint32_t steps) {
  AccountsState state = {.buckets = Buckets(fourier::geometric_noises(
                             {.least = 2, .most = 256, .count = static_cast<int>(buckets)})),
                         .people = kPeople,
                         .steps = steps,
                         .rates = {0.005},
                         .counts = {std::vector<std::uint32_t>(kPeople * buckets)},
                         .unsampled = std::vector<AccountsState::Unsampled>(kPeople)};
  std::mt19937 generator(1);
  const auto size = static_cast<double>(buckets);
  std::normal_distribution<double> place(0.35 * size, 0.15 * size);
  for (std::size_t p = 0; p < kPeople; ++p) {
    const double centre = place(generator);
    std::vector<double> density(buckets);
    double sum = 0;
    for (std::size_t j = 0; j < buckets; ++j) {
      density[j] = std::exp(-0.5 * std::pow((static_cast<double>(j) - centre) / (0.12 * size), 2));
      sum += density[j];
    }
    std::uint32_t left = steps;
    for (std::size_t j = 0; j < buckets; ++j) {
      const auto share = static_cast<std::uint32_t>(density[j] / sum * steps);
      state.counts[0][p * buckets + j] = share;
      left -= share;
    }
    state.counts[0][p * buckets + buckets / 2] += left;
  }
  return Accounts(std::move(state));
}

void EverybodyUpperEnds(benchmark::State& state) {
  omp_set_num_threads(1);
  const Accounts accounts = accounts_of(static_cast<std::size_t>(state.range(0)), 10'000);
  double widest = 0;
  for (auto _ : state) {
    const IndividualPrivacy found = upper_ends(accounts, 1e-6);
    for (const Bound& e : found.epsilon) widest = std::max(widest, width(e) / e.upper);
  }
  state.counters["per_person"] =
      benchmark::Counter(static_cast<double>(kPeople) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["widest"] = widest;  // relative, apart from bucket width
  omp_set_num_threads(omp_get_num_procs());
}
BENCHMARK(EverybodyUpperEnds)->Arg(100)->Arg(256)->Unit(benchmark::kMillisecond);

void EverybodyByMethod(benchmark::State& state) {
  const Accounts accounts = accounts_of(100, 10'000);
  const auto method = static_cast<IndividualMethod>(state.range(0));
  state.SetLabel(std::string(name(method)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(accounts.epsilon(1e-6, {.method = method}).epsilon.data());
  }
}
BENCHMARK(EverybodyByMethod)
    ->Arg(static_cast<int>(IndividualMethod::pld))
    ->Arg(static_cast<int>(IndividualMethod::rdp))
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ration
