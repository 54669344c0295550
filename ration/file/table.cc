#include "ration/file/table.h"

#include <fmt/format.h>

#include <cmath>
#include <new>

#include "ration/base/error.h"
#include "ration/file/open_file.h"

namespace ration {

Table table_of(std::size_t rows, std::size_t columns, const std::string& source) {
  const double bytes =
      static_cast<double>(rows) * static_cast<double>(columns) * double{sizeof(float)};
  const auto too_large = [&] {
    refuse(source, fmt::format("{} x {} values, {:.1f} GB in memory", rows, columns, bytes / 1e9),
           "what fits into this machine's memory");
  };
  if (bytes > static_cast<double>(physical_memory())) too_large();
  Table table{.rows = rows, .columns = columns};
  try {
    table.values.resize(rows * columns);
  } catch (const std::bad_alloc&) {
    too_large();
  }
  return table;
}

void check_finite(const Table& table, const std::string& source) {
  for (std::size_t i = 0; i < table.rows; ++i) {
    const auto row = table.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!std::isfinite(row[k])) {
        refuse(fmt::format("{} row {} column {} (from 0)", source, i, k),
               "infinite, no number or beyond float32", "finite numbers");
      }
    }
  }
}

}  // namespace ration
