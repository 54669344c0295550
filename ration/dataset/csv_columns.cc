#include "ration/dataset/csv_columns.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>

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

void assign(CsvLayout& layout, const Places& places, const std::string& name, Column column) {
  Column& place = layout.columns[places.at(name)];
  if (place.role != Role::feature) {
    refuse(fmt::format("column '{}'", name), "named twice",
           "each column as a label, as the group or to leave out");
  }
  place = column;
}

// As they were numbered in training.
void number_as(const std::vector<std::string>& train, CsvLayout& layout,
               const std::vector<std::string>& header, const std::string& source) {
  const Places places = places_of(train);
  std::size_t found = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (layout.columns[i].role != Role::feature) continue;
    const auto place = places.find(header[i]);
    if (place == places.end()) {
      refuse(source, fmt::format("with a column '{}' that training has not", header[i]),
             "the columns of training");
    }
    layout.columns[i].index = place->second;
    ++found;
  }
  if (found < train.size()) {
    const Places here = places_of(header);
    for (const std::string& name : train)
      if (!here.contains(name)) refuse_without(source, name);
  }
  layout.features = train;
}

void number_in_order(CsvLayout& layout, const std::vector<std::string>& header,
                     const std::string& source) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (layout.columns[i].role != Role::feature) continue;
    layout.columns[i].index = layout.features.size();
    layout.features.push_back(header[i]);
  }
  if (layout.features.empty())
    refuse(source, "without features", "columns of numbers besides labels and groups");
}

}  // namespace

void check_header(const std::vector<std::string>& header, const std::string& source) {
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string place = fmt::format("{} header, column {} (from 0)", source, i);
    if (header[i].empty()) refuse(place, "without a name", "a name for each column");
    if (const auto fault = fault_of_label(header[i])) refuse(place, fault->found, fault->accepted);
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
  const auto assign_there = [&](const std::string& name, Column column) {
    if (!places.contains(name)) refuse_without(source, name);
    assign(layout, places, name, column);
  };
  for (std::size_t i = 0; i < named.labels.size(); ++i)
    assign_there(named.labels[i], {.role = Role::label, .index = i});
  if (!named.group.empty()) assign_there(named.group, {.role = Role::group});
  for (const std::string& name : named.leave_out) {
    // A name that is nowhere is a slip; one that only the test file lacks is left out already.
    if (train_features == nullptr || places.contains(name))
      assign_there(name, {.role = Role::left_out});
  }
  if (train_features != nullptr) {
    number_as(*train_features, layout, header, source);
  } else {
    number_in_order(layout, header, source);
  }
  return layout;
}

}  // namespace ration
