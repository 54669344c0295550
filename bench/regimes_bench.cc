// Everybody's tight eps in ten regimes, from the many epochs that the paper trained for to the few
// rare draws of fine-tuning: both ends, both directions, fixed costs included. Norms vary as
// people's and as steps' do: lognormal, with median 1/e of the clip bound, a spread of 0.8 between
// people and of 0.5 within them.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ration/individual/epsilons.h"

namespace ration {
namespace {

struct Regime {
  const char* name;
  double rate, noise;
  std::uint32_t steps;
};
constexpr Regime kRegimes[] = {
    {"rate 0.005, noise 2, 10000 steps", 0.005, 2, 10000},
    {"rate 0.005, noise 2, 4000 steps", 0.005, 2, 4000},
    {"rate 0.005, noise 2, 2000 steps", 0.005, 2, 2000},
    {"rate 0.005, noise 2, 1000 steps", 0.005, 2, 1000},
    {"rate 0.02, noise 1.0777, 700 steps", 0.02, 1.0777, 700},
    {"rate 0.02, noise 1.0777, 250 steps", 0.02, 1.0777, 250},
    {"rate 0.1, noise 4, 300 steps", 0.1, 4, 300},
    {"rate 0.001, noise 0.8, 20000 steps", 0.001, 0.8, 20000},
    {"rate 0.05, noise 1.5, 100 steps", 0.05, 1.5, 100},
    {"rate 0.0001, noise 0.7, 50000 steps", 0.0001, 0.7, 50000},
};

// Norms of up to a thousand steps are drawn; longer runs see them again.
Accounts accounts_of(const Regime& regime, std::size_t people) {
  const std::uint32_t drawn = std::min<std::uint32_t>(regime.steps, 1000);
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  std::vector<float> level(people), norms(people * drawn);
  for (float& x : level) x = -1 + 0.8F * normal(generator);
  for (std::size_t i = 0; i < norms.size(); ++i) {
    norms[i] = std::exp(level[i % people] + 0.5F * normal(generator));
  }
  Accounts accounts(people, Buckets::from(regime.noise));
  const Step step = {.noise = regime.noise, .rate = regime.rate};
  for (std::uint32_t done = 0; done < regime.steps; done += drawn) {
    accounts.record(step, norm_table(norms, people));
  }
  return accounts;
}

void EverybodyInARegime(benchmark::State& state) {
  const Regime& regime = kRegimes[state.range(0)];
  const auto people = static_cast<std::size_t>(state.range(1));
  state.SetLabel(regime.name);
  const Accounts accounts = accounts_of(regime, people);
  std::vector<Bound> found;
  for (auto _ : state) found = accounts.epsilon(1e-6).epsilon;
  std::vector<double> widths;
  for (const Bound& e : found) widths.push_back(e.upper == 0 ? 0 : width(e) / e.upper);
  const auto wider = [&](double limit) {
    return static_cast<double>(
        std::count_if(widths.begin(), widths.end(), [&](double w) { return w > limit; }));
  };
  state.counters["wider_than_5%"] = wider(0.05);
  std::sort(widths.begin(), widths.end());
  state.counters["median_width"] = widths[widths.size() / 2];
  state.counters["width_of_95%"] = widths[widths.size() * 95 / 100];
  state.counters["per_person"] =
      benchmark::Counter(static_cast<double>(people) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(EverybodyInARegime)
    ->ArgsProduct({benchmark::CreateDenseRange(0, 9, 1), {1'000, 20'000}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Twenty people, as a first try has them: any settings, from the usual to the absurd. The slowest
// of a hundred settings is what counts.
void TwentyPeopleInAnyRegime(benchmark::State& state) {
  constexpr std::size_t kPeople = 20;
  constexpr int kSettings = 100;
  std::mt19937 generator(2);
  const auto log_uniform = [&](double least, double most) {
    return least * std::pow(most / least, std::uniform_real_distribution<double>()(generator));
  };
  std::normal_distribution<float> normal;
  double slowest = 0, widest = 0;
  std::vector<double> times;
  for (auto _ : state) {
    for (int i = 0; i < kSettings; ++i) {
      const Step step = {.noise = log_uniform(0.2, 5), .rate = log_uniform(1e-6, 1)};
      const auto steps = static_cast<std::size_t>(log_uniform(50, 1000));
      std::vector<float> norms(kPeople * steps);
      for (float& x : norms) x = std::exp(0.8F * normal(generator) - 1);
      Accounts accounts(kPeople, Buckets::from(step.noise));
      accounts.record(step, norm_table(norms, kPeople));
      const auto start = std::chrono::steady_clock::now();
      const std::vector<Bound> found = accounts.epsilon(1e-6).epsilon;
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      times.push_back(took.count());
      slowest = std::max(slowest, took.count());
      for (const Bound& e : found) {
        if (width(e) > 1e-9) widest = std::max(widest, width(e) / e.upper);
      }
    }
  }
  std::nth_element(times.begin(), times.begin() + kSettings / 2, times.end());
  state.counters["slowest_ms"] = 1e3 * slowest;
  state.counters["median_ms"] = 1e3 * times[kSettings / 2];
  state.counters["widest"] = widest;
}
BENCHMARK(TwentyPeopleInAnyRegime)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ration
