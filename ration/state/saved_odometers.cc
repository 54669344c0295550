#include "ration/state/saved.h"
#include "ration/state/saved_parts.h"
#include "ration/state/state_file.h"

namespace ration {
namespace {

constexpr std::string_view kGdp = "gdp-odometer", kIndividualGdp = "individual-gdp-odometer",
                           kRenyi = "renyi-odometer",
                           kIndividualRenyi = "individual-renyi-odometer";

void add_levels(StateWriter& writer, const Levels& levels) {
  writer.add_rows("levels", levels.rows());
  writer.add_value("repeats", static_cast<std::uint8_t>(levels.repeats()));
}

struct SavedLevels {
  std::span<const Units> units;  // levels x places
  std::uint8_t repeats;

  explicit SavedLevels(StateReader& reader)
      : units(reader.array<Units>("levels")), repeats(reader.value<std::uint8_t>("repeats")) {}

  Levels levels(std::size_t places) const {
    if (repeats > 1 || places == 0 || units.size() % places != 0 ||
        (repeats == 1 && units.size() != places)) {
      throw Error("levels of an odometer do not fit its orders");
    }
    if (repeats == 1) return Levels::multiples(copy_of(units));
    std::vector<Levels::Row> rows;
    for (auto rest = units; !rest.empty(); rest = rest.subspan(places)) {
      rows.push_back(copy_of(rest.first(places)));
    }
    return Levels::listed(std::move(rows));
  }
};

}  // namespace

void save(const std::filesystem::path& file, const GdpOdometer& odometer) {
  StateWriter writer(kGdp);
  add_levels(writer, odometer.levels());
  writer.add_value("spent", odometer.total());
  writer.write(file);
}

template <>
GdpOdometer load(const std::filesystem::path& file) {
  StateReader reader(file, kGdp);
  const SavedLevels saved(reader);
  const auto spent = reader.value<Units>("spent");
  reader.finish();
  return built_from(file, [&] { return GdpOdometer(saved.levels(1), spent); });
}

void save(const std::filesystem::path& file, const IndividualGdpOdometer& odometer) {
  StateWriter writer(kIndividualGdp);
  add_levels(writer, odometer.levels());
  writer.add("spent", odometer.totals());
  writer.add_value("steps", odometer.steps());
  writer.write(file);
}

template <>
IndividualGdpOdometer load(const std::filesystem::path& file) {
  StateReader reader(file, kIndividualGdp);
  const SavedLevels saved(reader);
  const auto spent = reader.array<Units>("spent");
  const auto steps = reader.value<std::uint64_t>("steps");
  reader.finish();
  return built_from(file,
                    [&] { return IndividualGdpOdometer(saved.levels(1), copy_of(spent), steps); });
}

void save(const std::filesystem::path& file, const RenyiOdometer& odometer) {
  const auto orders = plain(odometer.orders());
  StateWriter writer(kRenyi);
  writer.add("orders", orders);
  add_levels(writer, odometer.levels());
  writer.add("spent", odometer.totals());
  writer.write(file);
}

template <>
RenyiOdometer load(const std::filesystem::path& file) {
  StateReader reader(file, kRenyi);
  const auto orders = reader.array<double>("orders");
  const SavedLevels saved(reader);
  const auto spent = reader.array<Units>("spent", orders.size());
  reader.finish();
  return built_from(file, [&] {
    return RenyiOdometer(checked<Order>(orders), saved.levels(orders.size()), copy_of(spent));
  });
}

void save(const std::filesystem::path& file, const IndividualRenyiOdometer& odometer) {
  const auto orders = plain(odometer.orders());
  StateWriter writer(kIndividualRenyi);
  writer.add("orders", orders);
  add_levels(writer, odometer.levels());
  writer.add("spent", odometer.totals());
  writer.add_value("steps", odometer.steps());
  writer.write(file);
}

template <>
IndividualRenyiOdometer load(const std::filesystem::path& file) {
  StateReader reader(file, kIndividualRenyi);
  const auto orders = reader.array<double>("orders");
  const SavedLevels saved(reader);
  const auto spent = reader.array<Units>("spent");
  const auto steps = reader.value<std::uint64_t>("steps");
  reader.finish();
  return built_from(file, [&] {
    return IndividualRenyiOdometer(checked<Order>(orders), saved.levels(orders.size()),
                                   copy_of(spent), steps);
  });
}

}  // namespace ration
