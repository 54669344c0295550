#include "ration/state/sections.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ration {
namespace {

// A person's total and number of charges are two u64, one after the other, in memory as on disk.
using Unsampled = AccountsState::Unsampled;
static_assert(std::is_standard_layout_v<Unsampled> && sizeof(Unsampled) == 2 * sizeof(Units));

std::span<const std::uint64_t> as_pairs(const std::vector<Unsampled>& people) {
  return {reinterpret_cast<const std::uint64_t*>(people.data()), 2 * people.size()};
}

std::vector<Unsampled> from_pairs(std::span<const std::uint64_t> pairs) {
  if (pairs.size() % 2 != 0) throw Error("totals and charges are not a pair for each person");
  std::vector<Unsampled> people(pairs.size() / 2);
  for (std::size_t i = 0; i < people.size(); ++i) {
    people[i] = {.total = pairs[2 * i], .charges = pairs[2 * i + 1]};
  }
  return people;
}

// Per rate, people x buckets. No product overflows: each factor is the length of an array in the
// file, or below 2^16.
template <class Value>
std::vector<std::vector<Value>> split(std::span<const Value> values, std::string_view name,
                                      std::size_t rates, std::size_t each) {
  if (each == 0 || values.size() % each != 0 || values.size() / each != rates) {
    throw Error(std::string(name) + " are not rates x people x buckets");
  }
  std::vector<std::vector<Value>> rows;
  rows.reserve(rates);
  for (; !values.empty(); values = values.subspan(each)) {
    rows.push_back(copy_of(values.first(each)));
  }
  return rows;
}

// One for each rate, empty where they are not known.
std::vector<std::vector<std::uint64_t>> known_shares(std::span<const std::uint64_t> shares,
                                                     std::span<const std::uint8_t> known,
                                                     std::size_t each) {
  if (std::ranges::any_of(known, [](std::uint8_t k) { return k > 1; })) {
    throw Error("shares of a rate are neither known nor unknown");
  }
  auto rows = split(shares, "shares",
                    static_cast<std::size_t>(std::ranges::count(known, std::uint8_t{1})), each);
  for (std::size_t rate = 0; rate < known.size(); ++rate) {
    if (known[rate] == 0) rows.emplace(rows.begin() + static_cast<std::ptrdiff_t>(rate));
  }
  return rows;
}

}  // namespace

void add_sections(StateWriter& writer, const std::string& prefix, const Accounts& accounts) {
  const AccountsState& state = accounts.state();
  const std::vector<double> edges(state.buckets.edges().begin(), state.buckets.edges().end());
  const std::vector<double> rates(accounts.rates().begin(), accounts.rates().end());
  writer.add_copy(prefix + "edges", std::span(edges));
  writer.add_value(prefix + "steps", state.steps);
  writer.add_copy(prefix + "rates", std::span(rates));
  writer.add_rows(prefix + "counts", state.counts);
  writer.add(prefix + "unsampled", as_pairs(state.unsampled));
  std::vector<std::uint8_t> known;
  for (const auto& shares : state.shares) known.push_back(shares.empty() ? 0 : 1);
  if (std::ranges::count(known, std::uint8_t{1}) == 0) return;  // as before there were any
  writer.add_copy(prefix + "shares-known", std::span<const std::uint8_t>(known));
  writer.add_rows(prefix + "shares", state.shares);
}

Accounts read_accounts(StateReader& reader, const std::string& prefix) {
  const auto edges = reader.array<double>(prefix + "edges");
  const auto steps = reader.value<std::uint64_t>(prefix + "steps");
  const auto rates = reader.array<double>(prefix + "rates");
  const auto counts = reader.array<std::uint32_t>(prefix + "counts");
  const auto unsampled = reader.array<std::uint64_t>(prefix + "unsampled");
  std::span<const std::uint8_t> known;
  std::span<const std::uint64_t> shares;
  if (reader.has(prefix + "shares-known")) {
    known = reader.array<std::uint8_t>(prefix + "shares-known", rates.size());
    shares = reader.array<std::uint64_t>(prefix + "shares");
  }
  return built_from(reader.source(), [&] {
    const std::size_t people = unsampled.size() / 2;
    Buckets buckets(std::vector<Noise>{edges.begin(), edges.end()});
    const std::size_t each = people * buckets.size();
    auto rows = split(counts, "counts", rates.size(), each);
    auto row_shares = known_shares(shares, known, each);
    return Accounts({.buckets = std::move(buckets),
                     .people = people,
                     .steps = steps,
                     .rates = {rates.begin(), rates.end()},
                     .counts = std::move(rows),
                     .shares = std::move(row_shares),
                     .unsampled = from_pairs(unsampled)});
  });
}

namespace {

void add_currency(StateWriter& writer, const std::string& prefix, const Currency& currency) {
  for (const auto& [name, numbers] : currency.numbers()) {
    writer.add_copy(prefix + std::string(name), std::span<const double>(numbers));
  }
}

CurrencyPtr read_currency(StateReader& reader, const std::string& prefix, std::string_view name) {
  const CurrencyInState* const known = currency_in_state(name);
  if (known == nullptr) {
    refuse(reader.source(), "a saved " + std::string(reader.kind()),
           "one of this release, or use the release of Ration that wrote it");
  }
  std::vector<std::vector<double>> numbers;
  for (const std::string_view section : known->sections) {
    numbers.push_back(copy_of(reader.array<double>(prefix + std::string(section))));
  }
  return built_from(reader.source(), [&] { return known->made_from(numbers); });
}

// A total of each person, or the one of everybody at once.
std::span<const Units> read_spent(StateReader& reader, const std::string& prefix, Scope scope,
                                  std::size_t places) {
  return scope == Scope::each_person ? reader.array<Units>(prefix + "spent")
                                     : reader.array<Units>(prefix + "spent", places);
}

Levels levels_from(std::span<const Units> units, std::uint8_t repeats, std::size_t places) {
  if (repeats > 1 || units.size() % places != 0 || (repeats == 1 && units.size() != places)) {
    throw Error("levels of an odometer do not fit its orders");
  }
  if (repeats == 1) return Levels::multiples(copy_of(units));
  std::vector<Row> rows;
  for (; !units.empty(); units = units.subspan(places)) {
    rows.push_back(copy_of(units.first(places)));
  }
  return Levels::listed(std::move(rows));
}

}  // namespace

void add_sections(StateWriter& writer, const std::string& prefix, const Filter& filter) {
  const Filter::State& state = filter.state();
  const bool each_person = state.scope == Scope::each_person;
  add_currency(writer, prefix, *state.currency);
  writer.add(prefix + (each_person ? "budgets" : "budget"), state.budgets);
  if (each_person && state.currency->has_kinds()) writer.add(prefix + "kind-of", state.kind_of);
  writer.add(prefix + "spent", state.spent);
  writer.add_value(prefix + "steps", state.steps);
  if (!state.source.empty()) writer.add_text(prefix + "source", state.source);
}

Filter read_filter(StateReader& reader, const std::string& prefix, const KindParts& kind) {
  Filter::State state = {.currency = read_currency(reader, prefix, kind.currency),
                         .scope = kind.scope};
  const std::size_t places = state.currency->places();
  if (kind.scope == Scope::everybody_at_once) {
    state.budgets = copy_of(reader.array<Units>(prefix + "budget", places));
  } else {
    state.budgets = copy_of(reader.array<Units>(prefix + "budgets"));
    if (state.currency->has_kinds()) {
      state.kind_of = copy_of(reader.array<std::uint32_t>(prefix + "kind-of"));
    }
  }
  state.spent = copy_of(read_spent(reader, prefix, kind.scope, places));
  state.steps = reader.value<std::uint64_t>(prefix + "steps");
  if (reader.has(prefix + "source")) state.source = reader.text(prefix + "source");
  return built_from(reader.source(), [&] { return Filter(std::move(state)); });
}

void add_sections(StateWriter& writer, const std::string& prefix, const Odometer& odometer) {
  const Odometer::State& state = odometer.state();
  add_currency(writer, prefix, *state.currency);
  writer.add_rows(prefix + "levels", state.levels.rows());
  writer.add_value(prefix + "repeats", static_cast<std::uint8_t>(state.levels.repeats()));
  writer.add(prefix + "spent", state.spent);
  if (state.scope == Scope::each_person) writer.add_value(prefix + "steps", state.steps);
}

Odometer read_odometer(StateReader& reader, const std::string& prefix, const KindParts& kind) {
  auto currency = read_currency(reader, prefix, kind.currency);
  const std::size_t places = currency->places();
  const auto levels = reader.array<Units>(prefix + "levels");
  const auto repeats = reader.value<std::uint8_t>(prefix + "repeats");
  const auto spent = read_spent(reader, prefix, kind.scope, places);
  const std::uint64_t steps =
      kind.scope == Scope::each_person ? reader.value<std::uint64_t>(prefix + "steps") : 0;
  return built_from(reader.source(), [&] {
    return Odometer({.currency = std::move(currency),
                     .scope = kind.scope,
                     .levels = levels_from(levels, repeats, places),
                     .spent = copy_of(spent),
                     .steps = steps});
  });
}

}  // namespace ration
