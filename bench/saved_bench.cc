// Saving and loading the filter of many people: checksum, disk and, for loading, a copy and every
// check. Bytes per second count the file. Argument: people.

#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "ration/control/gdp_currency.h"
#include "ration/state/saved.h"

namespace ration {
namespace {

std::filesystem::path file() {
  return std::filesystem::temp_directory_path() / "ration-saved-bench.state";
}

void SaveFilter(benchmark::State& state) {
  const Filter filter(static_cast<std::size_t>(state.range(0)), gdp_currency(), MuBudget{0.5});
  for (auto _ : state) save(file(), filter);
  state.SetBytesProcessed(state.iterations() * state.range(0) * 8);
  std::filesystem::remove(file());
}

void LoadFilter(benchmark::State& state) {
  save(file(), Filter(static_cast<std::size_t>(state.range(0)), gdp_currency(), MuBudget{0.5}));
  for (auto _ : state) benchmark::DoNotOptimize(load<Filter>(file()));
  state.SetBytesProcessed(state.iterations() * state.range(0) * 8);
  std::filesystem::remove(file());
}

BENCHMARK(SaveFilter)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(LoadFilter)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace ration
