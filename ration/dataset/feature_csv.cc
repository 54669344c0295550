#include "ration/dataset/feature_csv.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "ration/base/error.h"
#include "ration/dataset/csv_columns.h"
#include "ration/dataset/label_names.h"
#include "ration/file/csv.h"
#include "ration/file/open_file.h"

namespace ration {
namespace {

float number_in(std::string_view cell, const csv::Rows& rows, std::size_t column) {
  const auto value = csv::number_in<double>(cell);
  if (value && std::abs(*value) <= double{std::numeric_limits<float>::max()})
    return static_cast<float>(*value);
  refuse(rows.where(column), cell.empty() ? "empty" : "no finite number within float32",
         "a number for each person, or leave the column out");
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
        features_(table_of(rows.count(), layout.features.size(), source)),
        bits_(labels_ == 1 ? 0 : rows.count() * labels_),
        classes_(source, named.labels[0]),
        groups_(source, named.group) {}

  bool read_row() {
    if (!rows_.next()) return false;
    const auto cells = rows_.cells();
    for (std::size_t i = 0; i < cells.size(); ++i) read_cell(cells[i], i);
    ++row_;
    return true;
  }

  Table take_features() { return std::move(features_); }
  std::vector<std::uint16_t> take_bits() { return std::move(bits_); }
  const LabelColumn& classes() const { return classes_; }
  const LabelColumn& groups() const { return groups_; }

 private:
  void read_cell(std::string_view cell, std::size_t i) {
    const Column column = layout_.columns[i];
    switch (column.role) {
      case Role::feature:
        features_.values[row_ * features_.columns + column.index] = number_in(cell, rows_, i);
        break;
      case Role::label:
        if (labels_ == 1) {
          classes_.add(name_in(cell, rows_, i));
        } else {
          bits_[row_ * labels_ + column.index] = bit_in(cell, rows_, i);
        }
        break;
      case Role::group:
        groups_.add(name_in(cell, rows_, i));
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
};

FeatureCsv read(const std::filesystem::path& path, const CsvColumns& named,
                const FeatureCsv* train) {
  const std::string source = path.string();
  const MappedFile file(path, "a CSV file with a header");
  csv::Rows rows(file.bytes(), source);
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
