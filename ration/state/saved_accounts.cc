#include <type_traits>

#include "ration/state/saved.h"
#include "ration/state/saved_parts.h"
#include "ration/state/saved_sections.h"
#include "ration/state/state_file.h"

namespace ration {
namespace {

constexpr std::string_view kAccounts = "accounts";

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
std::vector<std::vector<std::uint32_t>> split(std::span<const std::uint32_t> counts,
                                              std::size_t rates, std::size_t each) {
  if (each == 0 || counts.size() % each != 0 || counts.size() / each != rates) {
    throw Error("counts are not rates x people x buckets");
  }
  std::vector<std::vector<std::uint32_t>> rows;
  rows.reserve(rates);
  for (; !counts.empty(); counts = counts.subspan(each)) {
    rows.push_back(copy_of(counts.first(each)));
  }
  return rows;
}

}  // namespace

void add_sections(StateWriter& writer, const std::string& prefix, const Accounts& accounts) {
  const AccountsState& state = accounts.state();
  const auto edges = plain(state.buckets.edges());
  const auto rates = plain(accounts.rates());
  writer.add_copy(prefix + "edges", std::span(edges));
  writer.add_value(prefix + "steps", state.steps);
  writer.add_copy(prefix + "rates", std::span(rates));
  writer.add_rows(prefix + "counts", state.counts);
  writer.add(prefix + "unsampled", as_pairs(state.unsampled));
}

template <>
Accounts read_sections(StateReader& reader, const std::string& prefix) {
  const auto edges = reader.array<double>(prefix + "edges");
  const auto steps = reader.value<std::uint64_t>(prefix + "steps");
  const auto rates = reader.array<double>(prefix + "rates");
  const auto counts = reader.array<std::uint32_t>(prefix + "counts");
  const auto unsampled = reader.array<std::uint64_t>(prefix + "unsampled");
  return built_from(reader.source(), [&] {
    const std::size_t people = unsampled.size() / 2;
    Buckets buckets(checked<Noise>(edges));
    auto rows = split(counts, rates.size(), people * buckets.size());
    return Accounts({.buckets = std::move(buckets),
                     .people = people,
                     .steps = steps,
                     .rates = checked<Rate>(rates),
                     .counts = std::move(rows),
                     .unsampled = from_pairs(unsampled)});
  });
}

void save(const std::filesystem::path& file, const Accounts& accounts) {
  save_alone(file, kAccounts, accounts);
}
template <>
Accounts load(const std::filesystem::path& file) {
  return load_alone<Accounts>(file, kAccounts);
}
std::vector<std::byte> saved(const Accounts& accounts) { return bytes_alone(kAccounts, accounts); }
template <>
Accounts restored(std::span<const std::byte> bytes) {
  return load_alone<Accounts>(bytes, kAccounts);
}

}  // namespace ration
