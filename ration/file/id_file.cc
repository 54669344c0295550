#include "ration/file/id_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/file/csv_rows.h"
#include "ration/file/open_file.h"

namespace ration {
namespace {

// The ids of a file, and the lines that they stand on.
struct IdLines {
  std::vector<std::string> ids;
  std::vector<std::size_t> lines;

  void add(std::string_view id, std::size_t line, const std::string& where) {
    if (const auto fault = fault_of_id(id)) throw Error(fmt::format("{} {}", where, *fault));
    ids.emplace_back(id);
    lines.push_back(line);
  }
};

IdLines ids_in_column(std::span<const std::byte> file, const std::string& source,
                      const std::string& column) {
  csv::Rows rows(file, source);
  const std::size_t at = rows.column(column);
  IdLines found;
  while (rows.next()) found.add(rows.cells()[at], rows.line(), rows.where(at));
  return found;
}

IdLines ids_in_lines(std::span<const std::byte> file, const std::string& source) {
  // No record has an unquoted line break in it: each is one cell.
  csv::Records records(file, source, csv::Dialect{.separator = '\n'});
  IdLines found;
  std::string blank;  // where the first one is: only the end may be blank
  for (bool first = true; records.next(); first = false) {
    const std::string_view id = records.cells()[0];
    if (first && (id == "id" || id == "person")) continue;
    if (records.blank()) {
      if (blank.empty()) blank = records.where();
      continue;
    }
    if (!blank.empty()) throw Error(blank + " is empty: give everybody an id");
    found.add(id, records.line(), records.where());
  }
  return found;
}

}  // namespace

Ids read_ids(const std::filesystem::path& file, const std::optional<std::string>& column,
             const std::string& argument) {
  const MappedFile mapped(file, "the name of a file of ids (" + argument + ")");
  const std::string source = file.filename().string();
  IdLines found = column ? ids_in_column(mapped.bytes(), source, *column)
                         : ids_in_lines(mapped.bytes(), source);
  if (const auto both = repeated_id(found.ids, order_of_ids(found.ids))) {
    throw Error(fmt::format("{} has the same id in lines {} and {}: give each person once", source,
                            found.lines[both->first], found.lines[both->second]));
  }
  return Ids(std::move(found.ids));
}

}  // namespace ration
