#include <type_traits>

#include "ration/state/sections.h"

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
  const std::vector<double> edges(state.buckets.edges().begin(), state.buckets.edges().end());
  const std::vector<double> rates(accounts.rates().begin(), accounts.rates().end());
  writer.add_copy(prefix + "edges", std::span(edges));
  writer.add_value(prefix + "steps", state.steps);
  writer.add_copy(prefix + "rates", std::span(rates));
  writer.add_rows(prefix + "counts", state.counts);
  writer.add(prefix + "unsampled", as_pairs(state.unsampled));
}

Accounts read_accounts(StateReader& reader, const std::string& prefix) {
  const auto edges = reader.array<double>(prefix + "edges");
  const auto steps = reader.value<std::uint64_t>(prefix + "steps");
  const auto rates = reader.array<double>(prefix + "rates");
  const auto counts = reader.array<std::uint32_t>(prefix + "counts");
  const auto unsampled = reader.array<std::uint64_t>(prefix + "unsampled");
  return built_from(reader.source(), [&] {
    const std::size_t people = unsampled.size() / 2;
    Buckets buckets(std::vector<Noise>{edges.begin(), edges.end()});
    auto rows = split(counts, rates.size(), people * buckets.size());
    return Accounts({.buckets = std::move(buckets),
                     .people = people,
                     .steps = steps,
                     .rates = {rates.begin(), rates.end()},
                     .counts = std::move(rows),
                     .unsampled = from_pairs(unsampled)});
  });
}

}  // namespace ration
