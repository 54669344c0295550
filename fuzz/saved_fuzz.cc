// Whatever stands in a state under a right checksum, accounts, a filter, an odometer or a training
// come out and can go on, or an Error: nothing else. What came out is within its budget.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/memory_file.h"
#include "ration/base/error.h"
#include "ration/file/checksum.h"
#include "ration/state/saved.h"
#include "ration/state/state_format.h"
#include "ration/train/checkpoint.h"

namespace {

using namespace ration;

const Step kStep = {.noise = 2};

void go_on(Accounts accounts) {
  const std::vector<double> norms(accounts.people(), 0.5);
  accounts.record(kStep, std::span(norms));
}
void go_on(Filter filter) {
  if (filter.scope() == Scope::everybody_at_once) {
    filter.admit(kStep);
  } else {
    const std::vector<double> norms(filter.people(), 0.5);
    std::vector<std::uint8_t> mask(filter.people());
    filter.admit(kStep, norms, mask);
  }
  Filter same(Filter::State(filter.state()));  // refuses what is above a budget
}
void go_on(Odometer odometer) {
  if (odometer.scope() == Scope::everybody_at_once) {
    odometer.level_after(kStep);
    odometer.record(kStep);
  } else {
    const std::vector<double> norms(odometer.people(), 0.5);
    std::vector<std::uint64_t> levels(odometer.people());
    odometer.levels_after(kStep, norms, levels);
    odometer.record(kStep, norms);
  }
  odometer.reached(1e-5);
}

// What the books' filter admits is within its budget, or its state would be refused.
void go_on(train::Checkpoint checkpoint) {
  Books& books = checkpoint.books;
  const std::vector<float> norms(books.people(), 0.5F);
  std::vector<std::uint8_t> mask(books.people());
  books.charge(kStep, norms, mask);
  books.charge(kStep, norms, mask);
  if (checkpoint.training.step > books.charged_steps()) std::abort();
  const auto& settled = books.settle();
  if (settled.filter) Filter same(Filter::State(settled.filter->state()));
}

struct Section {
  const char* name;
  state::Type type;
  std::string_view text = {};  // what it holds, if that is not for the input to say
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
  } catch (const OutOfReach&) {  // orders at which a step's divergence takes too much work
  }
}

void use_checkpoint(const std::string& file) {
  try {
    go_on(train::load_checkpoint(file));
  } catch (const Error&) {
  } catch (const OutOfReach&) {
  }
}

constexpr auto u8 = state::Type::u8, u32 = state::Type::u32, u64 = state::Type::u64,
               f64 = state::Type::f64, f32 = state::Type::f32, text = state::Type::text;
std::vector<Section> training(std::vector<Section> filter) {
  std::vector<Section> sections = {{"generation", u64},      {"step", u64},
                                   {"parameters", f32},      {"moments", f32},
                                   {"optimiser-steps", u64}, {"held-norms", f32},
                                   {"losses", f32},          {"settings", text},
                                   {"people", text},         {"shown-rows", text},
                                   {"private-rows", text},   {"accounts-edges", f64},
                                   {"accounts-steps", u64},  {"accounts-rates", f64},
                                   {"accounts-counts", u32}, {"accounts-unsampled", u64},
                                   {"attendance", u32}};
  sections.insert(sections.end(), filter.begin(), filter.end());
  return sections;
}
const std::vector<Kind> kKinds = {
    {"accounts",
     {{"edges", f64}, {"steps", u64}, {"rates", f64}, {"counts", u32}, {"unsampled", u64}},
     use<Accounts>},
    {"gdp-filter", {{"budget", u64}, {"spent", u64}, {"steps", u64}}, use<Filter>},
    {"individual-gdp-filter", {{"budgets", u64}, {"spent", u64}, {"steps", u64}}, use<Filter>},
    {"renyi-filter",
     {{"orders", f64}, {"budget", u64}, {"spent", u64}, {"steps", u64}},
     use<Filter>},
    {"individual-renyi-filter",
     {{"orders", f64}, {"budgets", u64}, {"kind-of", u32}, {"spent", u64}, {"steps", u64}},
     use<Filter>},
    {"gdp-odometer", {{"levels", u64}, {"repeats", u8}, {"spent", u64}}, use<Odometer>},
    {"individual-gdp-odometer",
     {{"levels", u64}, {"repeats", u8}, {"spent", u64}, {"steps", u64}},
     use<Odometer>},
    {"renyi-odometer",
     {{"orders", f64}, {"levels", u64}, {"repeats", u8}, {"spent", u64}},
     use<Odometer>},
    {"individual-renyi-odometer",
     {{"orders", f64}, {"levels", u64}, {"repeats", u8}, {"spent", u64}, {"steps", u64}},
     use<Odometer>},
    {"training", training({{"filter", text, "none"}}), use_checkpoint},
    {"training",
     training({{"filter", text, "gdp"},
               {"filter-budgets", u64},
               {"filter-spent", u64},
               {"filter-steps", u64}}),
     use_checkpoint},
    {"training",
     training({{"filter", text, "rdp"},
               {"filter-orders", f64},
               {"filter-budgets", u64},
               {"filter-kind-of", u32},
               {"filter-spent", u64},
               {"filter-steps", u64}}),
     use_checkpoint}};

std::string padded(std::string bytes, std::size_t size) {
  bytes.resize(size, '\0');
  return bytes;
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
    const auto [name, type, fixed] = kind.sections[i];
    const std::size_t count =
        fixed.empty() ? static_cast<unsigned char>(input[1 + i]) % 16 : fixed.size();
    const std::size_t size = count * state::size_of(type);
    bytes += padded(name, 48) + bytes_of(static_cast<std::uint64_t>(type)) + bytes_of(count);
    const std::size_t from = std::min(at, input.size());
    const std::string content = fixed.empty() ? input.substr(from, size) : std::string(fixed);
    contents += padded(padded(content, size), size + state::padding(size));
    at += fixed.empty() ? size : 0;
  }
  bytes += contents;
  bytes.replace(16, 8, bytes_of(bytes.size() + sizeof(Checksum)));
  const Bytes covered = std::as_bytes(std::span(bytes));
  const Checksum checksum = checksum_of({&covered, 1});
  return bytes.append(reinterpret_cast<const char*>(checksum.data()), checksum.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string input(data, data + size);
  const Kind& kind = kKinds[data[0] % kKinds.size()];
  if (size <= kind.sections.size()) return 0;
  const fuzz::MemoryFile memory(file_of(kind, input));
  kind.use(memory.path());
  return 0;
}
