#include "ration/control/levels.h"

#include <algorithm>
#include <utility>

#include "ration/base/error.h"

namespace ration {

Levels Levels::multiples(Row row) {
  if (row.empty() || std::find(row.begin(), row.end(), Units{0}) != row.end()) {
    throw Error(
        "levels of an odometer are too close to each other: give a larger budget per level");
  }
  return {{std::move(row)}, true};
}

Levels Levels::listed(std::vector<Row> rows) {
  bool sound = !rows.empty() && !rows.front().empty();
  for (std::size_t i = 1; sound && i < rows.size(); ++i) {
    sound = rows[i].size() == rows[i - 1].size() && rows[i] != rows[i - 1];
    for (std::size_t k = 0; sound && k < rows[i].size(); ++k) sound = rows[i][k] >= rows[i - 1][k];
  }
  if (!sound) throw Error("levels of an odometer do not increase: give each above the one before");
  return {std::move(rows), false};
}

std::uint64_t Levels::cover(std::span<const Units> totals) const {
  const auto over = [&](std::span<const Units> row) {
    return !std::equal(totals.begin(), totals.end(), row.begin(),
                       [](Units total, Units most) { return total <= most; });
  };
  if (std::all_of(totals.begin(), totals.end(), [](Units x) { return x == 0; })) return 0;
  if (!repeats_) {
    const auto found = std::find_if_not(rows_.begin(), rows_.end(), over);
    return found == rows_.end() ? kNoLevel : static_cast<std::uint64_t>(found - rows_.begin()) + 1;
  }
  std::uint64_t number = 1;
  for (std::size_t k = 0; k < totals.size(); ++k) {
    number = std::max(number, totals[k] / rows_[0][k] + (totals[k] % rows_[0][k] != 0 ? 1 : 0));
  }
  return number;
}

Levels::Row Levels::level(std::uint64_t number) const {
  Row row(places(), number == 0 ? 0 : kMostUnits);
  if (number == 0 || number == kNoLevel) return row;
  if (!repeats_) return number <= rows_.size() ? rows_[number - 1] : row;
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = multiply_saturated(rows_[0][k], number);
  return row;
}

}  // namespace ration
