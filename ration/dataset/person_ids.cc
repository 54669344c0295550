#include "ration/dataset/person_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/ids.h"
#include "ration/file/csv_rows.h"
#include "ration/file/open_file.h"

namespace ration {
namespace {

// "people.csv lines 3, 7 and 12", of these rows; of many the first ones.
std::string lines_of(const IdColumn& column, std::span<const std::size_t> rows) {
  constexpr std::size_t kShown = 10;
  std::string text = column.source + " lines ";
  const std::size_t shown = std::min(rows.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == rows.size();
    text += fmt::format("{}{}", i == 0 ? "" : last ? " and " : ", ", column.lines[rows[i]]);
  }
  if (shown < rows.size()) text += fmt::format(" and {} more", rows.size() - shown);
  return text;
}

// The rows of each person, one after the other, and where each person's begin.
struct Persons {
  std::vector<std::size_t> rows, begins;

  std::size_t count() const { return begins.size() - 1; }
  std::span<const std::size_t> of(std::size_t person) const {
    return std::span(rows).subspan(begins[person], begins[person + 1] - begins[person]);
  }
};

// In the order of their first rows.
Persons persons_of(const std::vector<std::string>& ids) {
  const std::vector<std::size_t> by_id = order_of_ids(ids);  // equal ones by their rows
  std::vector<std::size_t> first(ids.size());                // row of the same person
  for (std::size_t i = 0; i < by_id.size(); ++i) {
    const bool same = i > 0 && ids[by_id[i]] == ids[by_id[i - 1]];
    first[by_id[i]] = same ? first[by_id[i - 1]] : by_id[i];
  }
  Persons persons = {.rows = std::vector<std::size_t>(ids.size()), .begins = {}};
  std::iota(persons.rows.begin(), persons.rows.end(), 0U);
  std::stable_sort(persons.rows.begin(), persons.rows.end(),
                   [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (first[persons.rows[i]] == persons.rows[i]) persons.begins.push_back(i);
  persons.begins.push_back(ids.size());
  return persons;
}

void check_one_row_each(const IdColumn& ids, const Persons& persons) {
  for (std::size_t p = 0; p < persons.count(); ++p) {
    if (persons.of(p).size() == 1) continue;
    throw Error(
        fmt::format("{} are of one person: give each person one row, or data.records = "
                    "\"together\"",
                    lines_of(ids, persons.of(p))));
  }
}

void check_most_records(const IdColumn& ids, const Persons& persons) {
  for (std::size_t p = 0; p < persons.count(); ++p) {
    if (persons.of(p).size() <= kMostRecords) continue;
    throw Error(fmt::format("{} are of one person: give at most {} records of each",
                            lines_of(ids, persons.of(p)), kMostRecords));
  }
}

void check_one_group_each(const std::vector<std::uint32_t>& group, const IdColumn& ids,
                          const Persons& persons) {
  for (std::size_t p = 0; p < persons.count(); ++p) {
    const auto rows = persons.of(p);
    const bool alike = std::all_of(rows.begin(), rows.end(), [&](std::size_t row) {
      return group[row] == group[rows.front()];
    });
    if (alike) continue;
    throw Error(
        fmt::format("{} are of one person and of several groups: give all rows of a person the "
                    "same group",
                    lines_of(ids, rows)));
  }
}

// Rows of `width` values into the order of `from`, one cycle of the permutation after the other: no
// second table is needed.
template <class Value>
void move_rows(std::vector<Value>& values, std::size_t width,
               const std::vector<std::size_t>& from) {
  const auto row = [&](std::size_t i) { return values.begin() + std::ptrdiff_t(i * width); };
  std::vector<bool> done(from.size());
  std::vector<Value> held(width);
  for (std::size_t start = 0; start < from.size(); ++start) {
    if (done[start] || from[start] == start) continue;
    std::copy_n(row(start), width, held.begin());
    std::size_t at = start;
    for (; from[at] != start; at = from[at]) {
      std::copy_n(row(from[at]), width, row(at));
      done[at] = true;
    }
    std::copy_n(held.begin(), width, row(at));
    done[at] = true;
  }
}

}  // namespace

void IdColumn::add(std::string_view id, std::size_t line) {
  if (const auto fault = fault_of_id(id))
    throw Error(fmt::format("{} line {}: an id {}", source, line, *fault));
  ids.emplace_back(id);
  lines.push_back(line);
}

IdColumn read_id_lines(const std::filesystem::path& path, std::size_t rows) {
  const MappedFile file(path, "a file with one id on each line");
  IdColumn column = {.source = path.string()};
  // No record has an unquoted line break in it: each is one cell.
  csv::Records records(file.bytes(), column.source, csv::Dialect{.separator = '\n'});
  while (records.next() && column.ids.size() <= rows) {
    column.add(records.cells()[0], records.line());
  }
  if (column.ids.size() != rows) {
    refuse(column.source,
           column.ids.size() > rows ? fmt::format("more than {} ids long", rows)
                                    : fmt::format("{} ids long", column.ids.size()),
           fmt::format("one id for each of the {} rows, and no header", rows));
  }
  return column;
}

void make_people(People& rows, const IdColumn& ids, Records records) {
  const Persons persons = persons_of(ids.ids);
  if (records == Records::one) {
    check_one_row_each(ids, persons);
    rows.ids = ids.ids;
    return;
  }
  check_most_records(ids, persons);
  const std::size_t labels = rows.labels.kind == LabelKind::one ? 1 : rows.labels.count();
  move_rows(rows.features.values, rows.features.columns, persons.rows);
  move_rows(rows.labels.values, labels, persons.rows);
  if (!rows.groups.labels.empty()) {
    const std::vector<std::uint32_t> group = std::move(rows.groups.of_person);
    check_one_group_each(group, ids, persons);
    rows.groups.of_person.clear();
    for (std::size_t p = 0; p < persons.count(); ++p)
      rows.groups.of_person.push_back(group[persons.of(p).front()]);
  }
  for (std::size_t p = 0; p < persons.count(); ++p)
    rows.ids.push_back(ids.ids[persons.of(p).front()]);
  rows.begins = persons.begins;
}

void check_apart(const IdColumn& train, const IdColumn& test) {
  const auto in_train = order_of_ids(train.ids), in_test = order_of_ids(test.ids);
  auto a = in_train.begin();
  for (const std::size_t row : in_test) {
    a = std::find_if(a, in_train.end(),
                     [&](std::size_t other) { return train.ids[other] >= test.ids[row]; });
    if (a == in_train.end()) return;
    if (train.ids[*a] != test.ids[row]) continue;
    throw Error(fmt::format(
        "{} line {} is of a person who is tested with too, in {} line {}: give each person on one "
        "side",
        train.source, train.lines[*a], test.source, test.lines[row]));
  }
}

}  // namespace ration
