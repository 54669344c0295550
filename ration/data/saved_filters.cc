#include "ration/data/saved.h"
#include "ration/data/saved_parts.h"
#include "ration/data/state_file.h"

namespace ration {
namespace {

constexpr std::string_view kGdp = "gdp-filter", kIndividualGdp = "individual-gdp-filter",
                           kRenyi = "renyi-filter", kIndividualRenyi = "individual-renyi-filter";

}  // namespace

void save(const std::filesystem::path& file, const GdpFilter& filter) {
  StateWriter writer(kGdp);
  writer.add_value("budget", filter.state().budget);
  writer.add_value("spent", filter.state().spent);
  writer.add_value("steps", filter.state().steps);
  writer.write(file);
}

template <>
GdpFilter load(const std::filesystem::path& file) {
  StateReader reader(file, kGdp);
  const GdpFilter::State state = {.budget = reader.value<Units>("budget"),
                                  .spent = reader.value<Units>("spent"),
                                  .steps = reader.value<std::uint64_t>("steps")};
  reader.finish();
  return built_from(file, [&] { return GdpFilter(state); });
}

void save(const std::filesystem::path& file, const IndividualGdpFilter& filter) {
  StateWriter writer(kIndividualGdp);
  writer.add("budgets", filter.state().budgets);
  writer.add("spent", filter.state().spent);
  writer.add_value("steps", filter.state().steps);
  writer.write(file);
}

template <>
IndividualGdpFilter load(const std::filesystem::path& file) {
  StateReader reader(file, kIndividualGdp);
  IndividualGdpFilter::State state = {.spent = copy_of(reader.array<Units>("spent")),
                                      .budgets = copy_of(reader.array<Units>("budgets")),
                                      .steps = reader.value<std::uint64_t>("steps")};
  reader.finish();
  return built_from(file, [&] { return IndividualGdpFilter(std::move(state)); });
}

void save(const std::filesystem::path& file, const RenyiFilter& filter) {
  const auto orders = plain(std::span(filter.state().orders));
  StateWriter writer(kRenyi);
  writer.add("orders", orders);
  writer.add("budget", filter.state().budget);
  writer.add("spent", filter.state().spent);
  writer.add_value("steps", filter.state().steps);
  writer.write(file);
}

template <>
RenyiFilter load(const std::filesystem::path& file) {
  StateReader reader(file, kRenyi);
  const auto orders = reader.array<double>("orders");
  const auto budget = reader.array<Units>("budget", orders.size());
  const auto spent = reader.array<Units>("spent", orders.size());
  const auto steps = reader.value<std::uint64_t>("steps");
  reader.finish();
  return built_from(file, [&] {
    return RenyiFilter({.orders = checked<Order>(orders),
                        .budget = copy_of(budget),
                        .spent = copy_of(spent),
                        .steps = steps});
  });
}

void save(const std::filesystem::path& file, const IndividualRenyiFilter& filter) {
  const auto orders = plain(std::span(filter.state().orders));
  StateWriter writer(kIndividualRenyi);
  writer.add("orders", orders);
  writer.add("budgets", filter.state().budgets);
  writer.add("kind-of", filter.state().kind_of);
  writer.add("spent", filter.state().spent);
  writer.add_value("steps", filter.state().steps);
  writer.write(file);
}

template <>
IndividualRenyiFilter load(const std::filesystem::path& file) {
  StateReader reader(file, kIndividualRenyi);
  const auto orders = reader.array<double>("orders");
  const auto budgets = reader.array<Units>("budgets");
  const auto kind_of = reader.array<std::uint32_t>("kind-of");
  const auto spent = reader.array<Units>("spent");
  const auto steps = reader.value<std::uint64_t>("steps");
  reader.finish();
  return built_from(file, [&] {
    return IndividualRenyiFilter({.orders = checked<Order>(orders),
                                  .spent = copy_of(spent),
                                  .budgets = copy_of(budgets),
                                  .kind_of = copy_of(kind_of),
                                  .steps = steps});
  });
}

}  // namespace ration
