#include "paper/data_table.h"

#include <fmt/format.h>

#include "ration/base/error.h"

namespace ration {
namespace {

std::string quoted(const std::string& text) {
  const bool blank_end = text.starts_with(' ') || text.ends_with(' ');
  if (!blank_end && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out;
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return fmt::format("\"{}\"", out);
}

}  // namespace

std::string text_of(const DataTable::Cell& cell) {
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, cell);
}

std::string csv_of(const DataTable& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    out += quoted(table.columns[i]);
  }
  out += '\n';
  for (const auto& row : table.rows) {
    if (row.size() != table.columns.size()) {
      refuse("row of a table", fmt::format("of {} cells", row.size()),
             fmt::format("one for each of its {} columns", table.columns.size()));
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      out += quoted(text_of(row[i]));
    }
    out += '\n';
  }
  return out;
}

}  // namespace ration
