#include "ration/dataset/feature_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "ration/base/error.h"
#include "ration/dataset/csv_columns.h"
#include "ration/dataset/label_names.h"
#include "ration/file/csv_rows.h"
#include "ration/file/open_file.h"

namespace ration {
namespace {

constexpr std::string_view kNumber =
    "a number for each person, or list the column in data.categories or data.leave_out";

std::string_view fault_of_number(std::string_view cell) {
  if (cell.empty()) return "empty";
  if (csv::has_decimal_comma(cell)) return "a number with a comma";
  return "no finite number within float32";
}

float number_in(std::string_view cell, const Scale& scale, const csv::Rows& rows,
                std::size_t column) {
  constexpr auto kLargest = double{std::numeric_limits<float>::max()};
  const auto value = csv::number_in<double>(cell);
  if (!value || !(std::abs(*value) <= kLargest)) {
    refuse(rows.where(column), fault_of_number(cell),
           csv::has_decimal_comma(cell) ? csv::kDecimalPoint : kNumber);
  }
  const double scaled = scale.applied_to(*value);
  if (!(std::abs(scaled) <= kLargest))
    refuse(rows.where(column), "beyond float32, standardised", "constants of its own size");
  return static_cast<float>(scaled);
}

std::size_t category_in(std::string_view cell, const Column& of, const csv::Rows& rows,
                        std::size_t column) {
  const auto found = of.categories.find(cell);
  if (found != of.categories.end()) return found->second;
  refuse(rows.where(column), cell.empty() ? "empty" : "none of its categories",
         fmt::format("one of the {} of data.categories, or add it there", of.categories.size()));
}

std::uint16_t bit_in(std::string_view cell, const csv::Rows& rows, std::size_t column) {
  if (cell == "0" || cell == "0.0") return 0;
  if (cell == "1" || cell == "1.0") return 1;
  refuse(rows.where(column), "neither 0 nor 1", "0 or 1 in every column of several labels");
}

std::string_view name_in(std::string_view cell, const csv::Rows& rows, std::size_t column) {
  const auto fault = fault_of_label(cell);
  if (fault) refuse(rows.where(column), fault->found, fault->accepted);
  return cell;
}

// The rows of one file, and what becomes of them.
class Reader {
 public:
  Reader(csv::Rows& rows, const CsvColumns& named, const CsvLayout& layout,
         const std::string& source)
      : rows_(rows),
        layout_(layout),
        labels_(named.labels.size()),
        features_(table_of(rows.count(), layout.width, source)),
        bits_(labels_ == 1 ? 0 : rows.count() * labels_),
        classes_(source, named.labels[0]),
        groups_(source, named.group),
        ids_{.source = source} {}

  bool read_row() {
    const bool more = rows_.next();
    if (more == (row_ == rows_.count())) {
      refuse(rows_.where(), "not what it was when rows were counted", "a file that stays as it is");
    }
    if (!more) return false;
    const auto cells = rows_.cells();
    for (std::size_t i = 0; i < cells.size(); ++i) read_cell(cells[i], i);
    ++row_;
    return true;
  }

  Table take_features() { return std::move(features_); }
  std::vector<std::uint16_t> take_bits() { return std::move(bits_); }
  const LabelColumn& classes() const { return classes_; }
  const LabelColumn& groups() const { return groups_; }
  IdColumn take_ids() { return std::move(ids_); }

 private:
  void read_cell(std::string_view cell, std::size_t i) {
    const Column& column = layout_.columns[i];
    switch (column.role) {
      case Role::number:
        features_.row(row_)[column.index] = number_in(cell, column.scale, rows_, i);
        break;
      case Role::category:  // the others stay 0
        features_.row(row_)[column.index + category_in(cell, column, rows_, i)] = 1;
        break;
      case Role::label:
        if (labels_ == 1) {
          classes_.add(name_in(cell, rows_, i), rows_.line());
        } else {
          bits_[row_ * labels_ + column.index] = bit_in(cell, rows_, i);
        }
        break;
      case Role::group:
        groups_.add(name_in(cell, rows_, i), rows_.line());
        break;
      case Role::id:
        ids_.add(cell, rows_.line());
        break;
      case Role::left_out:
        break;
    }
  }

  csv::Rows& rows_;
  const CsvLayout& layout_;
  std::size_t labels_, row_ = 0;
  Table features_;
  std::vector<std::uint16_t> bits_;  // of several labels
  LabelColumn classes_, groups_;
  IdColumn ids_;
};

FeatureCsv read(const std::filesystem::path& path, const CsvColumns& named,
                const FeatureCsv* train) {
  const std::string source = path.string();
  const MappedFile file(path, "a CSV file with a header");
  csv::Rows rows(file.bytes(), source, named.separator);
  check_header(rows.header(), source);
  if (rows.count() == 0) refuse(source, "without rows", "a header and a row for each person");
  file.release(file.bytes());  // it was counted, and will be read again
  const CsvLayout layout =
      layout_of(rows.header(), named, train ? &train->features : nullptr, source);
  Reader reader(rows, named, layout, source);
  // What was read need not stay in memory beside what came of it.
  constexpr std::size_t kBlock = std::size_t{1} << 24;
  for (std::size_t released = 0; reader.read_row();) {
    const std::size_t done = rows.bytes_read() - released;
    if (done < kBlock) continue;
    file.release(file.bytes().subspan(released, done));
    released += done;
  }
  FeatureCsv result{.people = {.features = reader.take_features()}, .features = layout.features};
  People& people = result.people;
  if (named.labels.size() > 1) {
    people.labels = {.kind = LabelKind::many, .names = named.labels, .values = reader.take_bits()};
  } else {
    people.labels =
        train ? reader.classes().labels(train->people.labels) : reader.classes().labels();
  }
  if (!named.group.empty()) people.groups = reader.groups().groups();
  result.ids = reader.take_ids();
  return result;
}

}  // namespace

FeatureCsv read_feature_csv(const std::filesystem::path& file, const CsvColumns& columns) {
  return read(file, columns, nullptr);
}

FeatureCsv read_feature_csv(const std::filesystem::path& file, const CsvColumns& columns,
                            const FeatureCsv& train) {
  return read(file, columns, &train);
}

}  // namespace ration
