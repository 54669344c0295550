#include "ration/state/saved.h"
#include "ration/state/saved_parts.h"
#include "ration/state/saved_sections.h"
#include "ration/state/state_file.h"

namespace ration {
namespace {

constexpr std::string_view kGdp = "gdp-filter", kIndividualGdp = "individual-gdp-filter",
                           kRenyi = "renyi-filter", kIndividualRenyi = "individual-renyi-filter";

}  // namespace

void add_sections(StateWriter& writer, const std::string& prefix, const GdpFilter& filter) {
  writer.add_value(prefix + "budget", filter.state().budget);
  writer.add_value(prefix + "spent", filter.state().spent);
  writer.add_value(prefix + "steps", filter.state().steps);
}

template <>
GdpFilter read_sections(StateReader& reader, const std::string& prefix) {
  const GdpFilter::State state = {.budget = reader.value<Units>(prefix + "budget"),
                                  .spent = reader.value<Units>(prefix + "spent"),
                                  .steps = reader.value<std::uint64_t>(prefix + "steps")};
  return built_from(reader.source(), [&] { return GdpFilter(state); });
}

void add_sections(StateWriter& writer, const std::string& prefix,
                  const IndividualGdpFilter& filter) {
  writer.add(prefix + "budgets", filter.state().budgets);
  writer.add(prefix + "spent", filter.state().spent);
  writer.add_value(prefix + "steps", filter.state().steps);
}

template <>
IndividualGdpFilter read_sections(StateReader& reader, const std::string& prefix) {
  IndividualGdpFilter::State state = {.spent = copy_of(reader.array<Units>(prefix + "spent")),
                                      .budgets = copy_of(reader.array<Units>(prefix + "budgets")),
                                      .steps = reader.value<std::uint64_t>(prefix + "steps")};
  return built_from(reader.source(), [&] { return IndividualGdpFilter(std::move(state)); });
}

void add_sections(StateWriter& writer, const std::string& prefix, const RenyiFilter& filter) {
  const auto orders = plain(std::span(filter.state().orders));
  writer.add_copy(prefix + "orders", std::span(orders));
  writer.add(prefix + "budget", filter.state().budget);
  writer.add(prefix + "spent", filter.state().spent);
  writer.add_value(prefix + "steps", filter.state().steps);
}

template <>
RenyiFilter read_sections(StateReader& reader, const std::string& prefix) {
  const auto orders = reader.array<double>(prefix + "orders");
  const auto budget = reader.array<Units>(prefix + "budget", orders.size());
  const auto spent = reader.array<Units>(prefix + "spent", orders.size());
  const auto steps = reader.value<std::uint64_t>(prefix + "steps");
  return built_from(reader.source(), [&] {
    return RenyiFilter({.orders = checked<Order>(orders),
                        .budget = copy_of(budget),
                        .spent = copy_of(spent),
                        .steps = steps});
  });
}

void add_sections(StateWriter& writer, const std::string& prefix,
                  const IndividualRenyiFilter& filter) {
  const auto orders = plain(std::span(filter.state().orders));
  writer.add_copy(prefix + "orders", std::span(orders));
  writer.add(prefix + "budgets", filter.state().budgets);
  writer.add(prefix + "kind-of", filter.state().kind_of);
  writer.add(prefix + "spent", filter.state().spent);
  writer.add_value(prefix + "steps", filter.state().steps);
}

template <>
IndividualRenyiFilter read_sections(StateReader& reader, const std::string& prefix) {
  const auto orders = reader.array<double>(prefix + "orders");
  const auto budgets = reader.array<Units>(prefix + "budgets");
  const auto kind_of = reader.array<std::uint32_t>(prefix + "kind-of");
  const auto spent = reader.array<Units>(prefix + "spent");
  const auto steps = reader.value<std::uint64_t>(prefix + "steps");
  return built_from(reader.source(), [&] {
    return IndividualRenyiFilter({.orders = checked<Order>(orders),
                                  .spent = copy_of(spent),
                                  .budgets = copy_of(budgets),
                                  .kind_of = copy_of(kind_of),
                                  .steps = steps});
  });
}

void save(const std::filesystem::path& file, const GdpFilter& filter) {
  save_alone(file, kGdp, filter);
}
void save(const std::filesystem::path& file, const IndividualGdpFilter& filter) {
  save_alone(file, kIndividualGdp, filter);
}
void save(const std::filesystem::path& file, const RenyiFilter& filter) {
  save_alone(file, kRenyi, filter);
}
void save(const std::filesystem::path& file, const IndividualRenyiFilter& filter) {
  save_alone(file, kIndividualRenyi, filter);
}
template <>
GdpFilter load(const std::filesystem::path& file) {
  return load_alone<GdpFilter>(file, kGdp);
}
template <>
IndividualGdpFilter load(const std::filesystem::path& file) {
  return load_alone<IndividualGdpFilter>(file, kIndividualGdp);
}
template <>
RenyiFilter load(const std::filesystem::path& file) {
  return load_alone<RenyiFilter>(file, kRenyi);
}
template <>
IndividualRenyiFilter load(const std::filesystem::path& file) {
  return load_alone<IndividualRenyiFilter>(file, kIndividualRenyi);
}
std::vector<std::byte> saved(const IndividualGdpFilter& filter) {
  return bytes_alone(kIndividualGdp, filter);
}
std::vector<std::byte> saved(const IndividualRenyiFilter& filter) {
  return bytes_alone(kIndividualRenyi, filter);
}
template <>
IndividualGdpFilter restored(std::span<const std::byte> bytes) {
  return load_alone<IndividualGdpFilter>(bytes, kIndividualGdp);
}
template <>
IndividualRenyiFilter restored(std::span<const std::byte> bytes) {
  return load_alone<IndividualRenyiFilter>(bytes, kIndividualRenyi);
}

}  // namespace ration
