// A ledger on this machine's disk, every change synced. Arguments: people, or past grants. The file
// lies in the folder for temporary files; where that is memory, only the processor is measured.
// RATION_POSTGRES_URL names a database in which the same is measured; its ledger is lost. Beside
// each stands what one write of 4 kB and its sync took in the same minute (raw_sync_ms).

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "ration/control/gdp_currency.h"
#include "ration/ledger/ledger.h"

namespace ration::ledger {
namespace {

namespace fs = std::filesystem;

// Where a ledger is measured: a file of its own, or the database.
class Folder {
 public:
  explicit Folder(bool on_server = false)
      : on_server_(on_server), path_((fs::temp_directory_path() / "ration.XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
    if (!on_server_) return;
    const std::string command =
        "psql -qX -d '" + location() + "' -c 'DROP SCHEMA IF EXISTS ration CASCADE' 2>/dev/null";
    if (std::system(command.c_str()) != 0) std::abort();
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  std::string location() const {
    return on_server_ ? std::getenv("RATION_POSTGRES_URL") : path_ + "/ledger";
  }

  double raw_sync_ms() const {
    constexpr int kTimes = 50;
    const int file = open((path_ + "/raw").c_str(), O_CREAT | O_RDWR, 0600);
    const std::array<char, 4096> page{};
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < kTimes; ++k) {
      if (pwrite(file, page.data(), page.size(), 0) < 0 || fsync(file) != 0) std::abort();
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    close(file);
    return took.count() / kTimes;
  }

 private:
  bool on_server_;
  std::string path_;
};

NewPeople people(std::size_t count) {
  NewPeople all = {.ids = {}, .budgets = {.kinds = {MuBudget{2}}}};
  for (std::size_t i = 0; i < count; ++i) {
    all.ids.push_back("patient-" + std::to_string(i * 2654435761U % 4294967291U));
  }
  return all;
}
Ledger made(const Folder& folder, const NewPeople& all) {
  return Ledger::create(folder.location(), gdp_currency(), 1e-6, all);
}

template <bool kServer>
void Create(benchmark::State& state) {
  const NewPeople all = people(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    const Folder folder(kServer);
    state.ResumeTiming();
    benchmark::DoNotOptimize(made(folder, all));
  }
}

template <bool kServer>
void GrantAndSettle(benchmark::State& state) {
  const Folder folder(kServer);
  const NewPeople all = people(static_cast<std::size_t>(state.range(0)));
  Ledger ledger = made(folder, all);
  std::vector<Units> charges(all.ids.size());
  std::mt19937 random(1);
  for (Units& charge : charges) charge = random();
  int token = 0;
  for (auto _ : state) {
    const Grant grant = ledger.grant({.token = std::to_string(token++), .limit = MuBudget{0.05}});
    ledger.settle(grant, charges);
  }
  state.counters["raw_sync_ms"] = folder.raw_sync_ms();
}

// Of 100 people at random, among a million or in a ledger of their own, by one client or several.
template <bool kServer>
void OneOff(benchmark::State& state) {
  static std::unique_ptr<Folder> folder;
  static NewPeople all;
  if (state.thread_index() == 0) {
    folder = std::make_unique<Folder>(kServer);
    all = people(static_cast<std::size_t>(state.range(0)));
    made(*folder, all);
  }
  std::mt19937 random(static_cast<unsigned>(state.thread_index()));
  std::unique_ptr<Ledger> ledger;
  const std::vector<double> norms(100, 0.5);
  int token = 0;
  for (auto _ : state) {
    if (ledger == nullptr) ledger = std::make_unique<Ledger>(Ledger::open(folder->location()));
    Query query = {.token = std::to_string(state.thread_index()) + "-" + std::to_string(token++),
                   .step = {.noise = 1000},
                   .norms = norms};
    for (std::size_t i = 0; i < 100; ++i) {
      const std::size_t stripe = all.ids.size() / 100;
      query.ids.push_back(all.ids[i * stripe + random() % stripe]);
    }
    benchmark::DoNotOptimize(ledger->admit(query));
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) state.counters["raw_sync_ms"] = folder->raw_sync_ms();
}

template <bool kServer>
void Open(benchmark::State& state) {
  const Folder folder(kServer);
  {
    Ledger ledger = made(folder, people(1000));
    const std::vector<double> norms(1, 0.1);
    const std::vector<std::string> one = {ledger.ids().front()};
    for (std::int64_t k = 0; k < state.range(0); ++k) {
      ledger.admit(
          {.token = std::to_string(k), .step = {.noise = 1e5}, .ids = one, .norms = norms});
    }
  }
  for (auto _ : state) {
    Ledger ledger = Ledger::open(folder.location());
    benchmark::DoNotOptimize(ledger.head());
  }
}

template <bool kServer>
void measure(const std::string& where) {
  const auto named = [&](const std::string& name, void (*function)(benchmark::State&)) {
    return benchmark::RegisterBenchmark((name + where).c_str(), function)->UseRealTime();
  };
  named("Create", Create<kServer>)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
  named("GrantAndSettle", GrantAndSettle<kServer>)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
  auto* const one_off = named("OneOff", OneOff<kServer>)->Arg(100)->Arg(1'000'000);
  one_off->Unit(benchmark::kMillisecond);
  if (kServer) one_off->Threads(1)->Threads(8);
  named("Open", Open<kServer>)->Arg(10)->Arg(10'000)->Unit(benchmark::kMicrosecond);
}

const bool kRegistered = [] {
  measure<false>("");
  if (std::getenv("RATION_POSTGRES_URL") != nullptr) measure<true>("OnPostgres");
  return true;
}();

}  // namespace
}  // namespace ration::ledger
