// Whatever stands in a state under a right checksum, accounts, a filter or an odometer come out and
// can go on, or an Error: nothing else. What came out is within its budget.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/memory_file.h"
#include "ration/base/error.h"
#include "ration/data/checksum.h"
#include "ration/data/saved.h"
#include "ration/data/state_format.h"

namespace {

using namespace ration;

const Step kStep = {.noise = 2};

void go_on(Accounts accounts) {
  const std::vector<double> norms(accounts.people(), 0.5);
  accounts.charge(kStep, std::span(norms));
}
void go_on(GdpFilter filter) {
  filter.admit(kStep);
  if (filter.state().spent > filter.state().budget) std::abort();
}
void go_on(RenyiFilter filter) {
  filter.admit(kStep);
  if (!is_sound(filter.state().spent, filter.state().budget)) std::abort();
}
template <class Filter>
requires requires(Filter filter) { filter.state().budgets; }
void go_on(Filter filter) {
  const std::vector<double> norms(filter.people(), 0.5);
  std::vector<std::uint8_t> mask(filter.people());
  filter.admit(kStep, norms, mask);
  Filter same(typename Filter::State(filter.state()));  // refuses what is above a budget
}
template <class Odometer>
requires requires(Odometer odometer) { odometer.levels(); }
void go_on(Odometer odometer) {
  if constexpr (requires { odometer.people(); }) {
    const std::vector<double> norms(odometer.people(), 0.5);
    std::vector<std::uint64_t> levels(odometer.people());
    odometer.levels_after(kStep, norms, levels);
    odometer.charge(kStep, norms);
  } else {
    odometer.level_after(kStep);
    odometer.charge(kStep);
  }
}

struct Section {
  const char* name;
  state::Type type;
};
struct Kind {
  const char* name;
  std::vector<Section> sections;
  std::function<void(const std::string&)> use;
};
template <class Saved>
void use(const std::string& file) {
  try {
    go_on(load<Saved>(file));
  } catch (const Error&) {
  }
}

constexpr auto u8 = state::Type::u8, u32 = state::Type::u32, u64 = state::Type::u64,
               f64 = state::Type::f64;
const std::vector<Kind> kKinds = {
    {"accounts",
     {{"edges", f64}, {"steps", u64}, {"rates", f64}, {"counts", u32}, {"unsampled", u64}},
     use<Accounts>},
    {"gdp-filter", {{"budget", u64}, {"spent", u64}, {"steps", u64}}, use<GdpFilter>},
    {"individual-gdp-filter",
     {{"budgets", u64}, {"spent", u64}, {"steps", u64}},
     use<IndividualGdpFilter>},
    {"renyi-filter",
     {{"orders", f64}, {"budget", u64}, {"spent", u64}, {"steps", u64}},
     use<RenyiFilter>},
    {"individual-renyi-filter",
     {{"orders", f64}, {"budgets", u64}, {"kind-of", u32}, {"spent", u64}, {"steps", u64}},
     use<IndividualRenyiFilter>},
    {"gdp-odometer", {{"levels", u64}, {"repeats", u8}, {"spent", u64}}, use<GdpOdometer>},
    {"individual-gdp-odometer",
     {{"levels", u64}, {"repeats", u8}, {"spent", u64}, {"steps", u64}},
     use<IndividualGdpOdometer>},
    {"renyi-odometer",
     {{"orders", f64}, {"levels", u64}, {"repeats", u8}, {"spent", u64}},
     use<RenyiOdometer>},
    {"individual-renyi-odometer",
     {{"orders", f64}, {"levels", u64}, {"repeats", u8}, {"spent", u64}, {"steps", u64}},
     use<IndividualRenyiOdometer>}};

std::string padded(std::string text, std::size_t size) {
  text.resize(size, '\0');
  return text;
}
std::string bytes_of(std::uint64_t x) { return {reinterpret_cast<const char*>(&x), sizeof x}; }

// The first byte chooses the kind, the next ones the length of each section; the rest is contents,
// and where it ends zeros.
std::string file_of(const Kind& kind, const std::string& input) {
  const std::size_t sections = kind.sections.size();
  std::string bytes = std::string(state::kMagic) + padded("\1", 4) +
                      padded(std::string(1, static_cast<char>(sections)), 4) + bytes_of(0) +
                      padded(kind.name, 40);
  std::string contents;
  std::size_t at = 1 + sections;
  for (std::size_t i = 0; i < sections; ++i) {
    const auto [name, type] = kind.sections[i];
    const std::size_t count = static_cast<unsigned char>(input[1 + i]) % 16;
    const std::size_t size = count * state::size_of(type);
    bytes += padded(name, 48) + bytes_of(static_cast<std::uint64_t>(type)) + bytes_of(count);
    const std::size_t from = std::min(at, input.size());
    contents += padded(padded(input.substr(from, size), size), size + state::padding(size));
    at += size;
  }
  bytes += contents;
  bytes.replace(16, 8, bytes_of(bytes.size() + sizeof(Checksum)));
  const Bytes covered = std::as_bytes(std::span(bytes));
  const Checksum checksum = checksum_of({&covered, 1});
  return bytes.append(reinterpret_cast<const char*>(checksum.data()), checksum.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  const std::string input(data, data + size);
  const Kind& kind = kKinds[data[0] % kKinds.size()];
  const fuzz::MemoryFile memory(file_of(kind, input));
  kind.use(memory.path());
  return 0;
}
