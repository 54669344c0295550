#include "ration/dataset/csv_columns.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ration/base/error.h"
#include "ration/dataset/dataset.h"
#include "ration/dataset/label_names.h"

namespace ration {
namespace {

using Places = std::unordered_map<std::string_view, std::size_t>;

Places places_of(const std::vector<std::string>& names) {
  Places places;
  for (std::size_t i = 0; i < names.size(); ++i) places[names[i]] = i;
  return places;
}

[[noreturn]] void refuse_without(const std::string& source, const std::string& name) {
  refuse(source, fmt::format("without the column '{}'", name), "a file that has it");
}

void assign(Column& place, const std::string& name, Column column) {
  if (place.role != Role::number) {
    refuse(fmt::format("column '{}'", name), "named twice",
           "each column as a label, as the group, as the id, by its categories or to leave out");
  }
  place = std::move(column);
}

Column column_of(const std::string& name, const std::vector<std::string>& categories) {
  const std::string what = fmt::format("categories of column '{}'", name);
  if (categories.size() < 2 || categories.size() > kMostLabels) {
    refuse(what, fmt::format("{} texts", categories.size()), fmt::format("2 to {}", kMostLabels));
  }
  Column column{.role = Role::category};
  for (const std::string& category : categories) {
    if (!column.categories.emplace(category, column.categories.size()).second)
      refuse(what, fmt::format("a list with '{}' twice", category), "each of them once");
  }
  return column;
}

void set_scale(Column& column, const std::string& name, const Scale& scale) {
  const std::string what = fmt::format("column '{}' to standardise", name);
  if (column.role != Role::number) {
    refuse(what, "a label, a group, an id, of categories or left out", "a column of numbers");
  }
  if (!std::isfinite(scale.mean)) refuse("mean of " + what, scale.mean, "a finite number");
  if (!(scale.scale > 0 && std::isfinite(scale.scale)))
    refuse("scale of " + what, scale.scale, "a finite number above 0");
  column.scale = scale;
}

// In the order of the file.
std::vector<std::string> features_of(const CsvLayout& layout,
                                     const std::vector<std::string>& header) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < header.size(); ++i)
    if (layout.columns[i].is_feature()) names.push_back(header[i]);
  return names;
}

void check_features(const std::vector<std::string>& here, const std::vector<std::string>& train,
                    const std::string& source) {
  const Places in_training = places_of(train), in_file = places_of(here);
  for (const std::string& name : here) {
    if (in_training.contains(name)) continue;
    refuse(source, fmt::format("with a column '{}' that training has not", name),
           "the columns of training");
  }
  for (const std::string& name : train)
    if (!in_file.contains(name)) refuse_without(source, name);
}

void number_features(CsvLayout& layout, const Places& places) {
  for (const std::string& name : layout.features) {
    Column& column = layout.columns[places.at(name)];
    column.index = layout.width;
    layout.width += column.width();
  }
}

}  // namespace

void check_header(const std::vector<std::string>& header, const std::string& source) {
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string place = fmt::format("{} header, column {} (from 0)", source, i);
    if (const auto fault = fault_of_column(header[i])) refuse(place, fault->found, fault->accepted);
    if (!names.insert(header[i]).second) {
      refuse(place, fmt::format("'{}' again", header[i]), "another name for each column");
    }
  }
}

CsvLayout layout_of(const std::vector<std::string>& header, const CsvColumns& named,
                    const std::vector<std::string>* train_features, const std::string& source) {
  if (named.labels.empty()) refuse("label columns", "not given", "the name of at least one");
  if (named.labels.size() > kMostLabels) {
    refuse("label columns", fmt::format("{} names", named.labels.size()),
           fmt::format("at most {}", kMostLabels));
  }
  const Places places = places_of(header);
  CsvLayout layout{.columns = std::vector<Column>(header.size())};
  const auto column = [&](const std::string& name) -> Column& {
    if (!places.contains(name)) refuse_without(source, name);
    return layout.columns[places.at(name)];
  };
  for (std::size_t i = 0; i < named.labels.size(); ++i) {
    const std::string& name = named.labels[i];
    assign(column(name), name, {.role = Role::label, .index = i});
    // The names of several labels are written down with the results.
    if (named.labels.size() == 1) continue;
    if (const auto fault = fault_of_label(name))
      refuse(fmt::format("label column {} (from 0)", i), fault->found, fault->accepted);
  }
  if (!named.group.empty()) assign(column(named.group), named.group, {.role = Role::group});
  if (!named.id.empty()) assign(column(named.id), named.id, {.role = Role::id});
  for (const std::string& name : named.leave_out) {
    // A name that is nowhere is a slip; one that only the test file lacks is left out already.
    if (train_features == nullptr || places.contains(name))
      assign(column(name), name, {.role = Role::left_out});
  }
  for (const auto& [name, categories] : named.categories)
    assign(column(name), name, column_of(name, categories));
  for (const auto& [name, scale] : named.standardise) set_scale(column(name), name, scale);
  layout.features = features_of(layout, header);
  if (train_features != nullptr) {
    check_features(layout.features, *train_features, source);
    layout.features = *train_features;
  }
  if (layout.features.empty())
    refuse(source, "without features", "columns of numbers besides labels and groups");
  number_features(layout, places);
  return layout;
}

}  // namespace ration
