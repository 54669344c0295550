#include "ration/dataset/array_people.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ration/base/error.h"
#include "ration/file/npy.h"

namespace ration {

Labels class_labels(std::vector<std::uint16_t> classes, const std::string& source) {
  const auto largest = std::max_element(classes.begin(), classes.end());
  const std::size_t count = largest == classes.end() ? 0 : std::size_t{*largest} + 1;
  if (count < 2) refuse(source, "of one class", "labels of at least two classes");
  if (count > kMostLabels) {
    refuse(source, fmt::format("of {} classes", count), fmt::format("at most {}", kMostLabels));
  }
  Labels labels{.kind = LabelKind::one, .values = std::move(classes)};
  for (std::size_t i = 0; i < count; ++i) labels.names.push_back(std::to_string(i));
  return labels;
}

Labels class_labels(std::vector<std::uint16_t> classes, const Labels& train,
                    const std::string& source) {
  const auto unseen = std::find_if(classes.begin(), classes.end(),
                                   [&](std::uint16_t label) { return label >= train.count(); });
  if (unseen != classes.end()) {
    refuse(fmt::format("{} row {} (from 0)", source, unseen - classes.begin()),
           "a class beyond those in training",
           fmt::format("classes from 0 to {}", train.count() - 1));
  }
  return {.kind = LabelKind::one, .names = train.names, .values = std::move(classes)};
}

namespace {

// In blocks, so that what was converted need not stay in memory beside what came of it.
template <class Real>
void convert(const NpyFile& file, Table& table) {
  const std::size_t block = std::max<std::size_t>(1, (std::size_t{1} << 20) / table.columns);
  std::vector<Real> values(std::min(block, table.rows) * table.columns);
  for (std::size_t row = 0; row < table.rows; row += block) {
    const std::size_t count = std::min(block, table.rows - row);
    const auto from = std::span(values).first(count * table.columns);
    file.read_rows(row, from);
    std::transform(from.begin(), from.end(), table.row(row).begin(),
                   [](Real value) { return static_cast<float>(value); });
  }
}

// Each value, if it is a whole number from 0 to `most`.
std::vector<std::uint16_t> whole_numbers(const NpyFile& file, std::uint16_t most,
                                         const std::string& source) {
  const std::vector<double> numbers = file.numbers();
  std::vector<std::uint16_t> values(numbers.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double number = numbers[i];
    if (!(number >= 0 && number <= most) || number != static_cast<std::uint16_t>(number)) {
      const bool flat = file.dimensions() == 1;
      const std::string where = flat ? fmt::format("{} row {} (from 0)", source, i)
                                     : fmt::format("{} row {} column {} (from 0)", source,
                                                   i / file.columns(), i % file.columns());
      refuse(where, flat ? "no class" : "no label",
             flat ? fmt::format("whole numbers from 0 to {}", most) : "0 or 1");
    }
    values[i] = static_cast<std::uint16_t>(number);
  }
  return values;
}

Labels many_labels(const NpyFile& file, const std::string& source) {
  if (file.columns() > kMostLabels) {
    refuse(source, fmt::format("{} columns wide", file.columns()),
           fmt::format("at most {} labels", kMostLabels));
  }
  Labels labels{.kind = LabelKind::many};
  for (std::size_t i = 0; i < file.columns(); ++i) labels.names.push_back(std::to_string(i));
  labels.values = whole_numbers(file, 1, source);
  return labels;
}

std::vector<std::uint16_t> classes_in(const NpyFile& file, const std::string& source) {
  return whole_numbers(file, kMostLabels - 1, source);
}

}  // namespace

Table read_npy_rows(const std::filesystem::path& path) {
  const NpyFile file(path);
  if (file.dimensions() != 2) {
    refuse(path.string(), "1-dimensional", "two dimensions: a row for each person");
  }
  Table table = table_of(file.rows(), file.columns(), path.string());
  file.type() == npy::Type::float32 ? convert<float>(file, table) : convert<double>(file, table);
  check_finite(table, path.string());
  return table;
}

Labels read_npy_labels(const std::filesystem::path& path) {
  const NpyFile file(path, npy::Accepted::numbers);
  if (file.dimensions() == 2) return many_labels(file, path.string());
  return class_labels(classes_in(file, path.string()), path.string());
}

Labels read_npy_labels(const std::filesystem::path& path, const Labels& train) {
  const NpyFile file(path, npy::Accepted::numbers);
  const bool many = train.kind == LabelKind::many;
  if ((file.dimensions() == 2) != many) {
    refuse(path.string(), fmt::format("{}-dimensional", file.dimensions()),
           "as many dimensions as the training labels have");
  }
  if (!many) return class_labels(classes_in(file, path.string()), train, path.string());
  if (file.columns() != train.count()) {
    refuse(path.string(), fmt::format("{} columns wide", file.columns()),
           fmt::format("the {} labels of training", train.count()));
  }
  return many_labels(file, path.string());
}

}  // namespace ration
