#include "ration/dataset/standardise.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "ration/base/error.h"

namespace ration {
namespace {

void check_list(std::string_view name, const std::vector<double>& list, std::size_t columns) {
  if (list.size() != 1 && list.size() != columns) {
    refuse(name, fmt::format("{} numbers long", list.size()),
           fmt::format("one number, or one for each of the {} columns", columns));
  }
  for (const double number : list)
    if (!std::isfinite(number)) refuse(name, number, "finite numbers");
}

}  // namespace

void standardise(Table& table, const Standardisation& by, const std::string& source) {
  check_list("mean", by.mean, table.columns);
  check_list("scale", by.scale, table.columns);
  for (const double scale : by.scale)
    if (!(scale > 0)) refuse("scale", scale, "numbers above 0");
  const std::size_t mean_step = by.mean.size() == 1 ? 0 : 1;
  const std::size_t scale_step = by.scale.size() == 1 ? 0 : 1;
  for (std::size_t i = 0; i < table.rows; ++i) {
    const auto row = table.row(i);
    for (std::size_t k = 0; k < row.size(); ++k)
      row[k] = static_cast<float>((row[k] - by.mean[k * mean_step]) / by.scale[k * scale_step]);
  }
  check_finite(table, source + ", standardised,");
}

}  // namespace ration
