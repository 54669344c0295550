#include "ration/dataset/label_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "ration/base/error.h"
#include "ration/base/plain_text.h"
#include "ration/file/csv.h"

namespace ration {
namespace {

constexpr std::size_t kLongest = 200;

// What a label says as a number, if all of it does and it is finite.
std::optional<double> number_in(const std::string& label) {
  const auto value = csv::number_in<double>(label);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool all_numbers(const std::vector<std::string>& labels) {
  return std::all_of(labels.begin(), labels.end(),
                     [](const std::string& label) { return number_in(label).has_value(); });
}

// Where each label stands in their order.
std::vector<std::uint32_t> order_of(const std::vector<std::string>& labels) {
  std::vector<double> numbers;
  if (all_numbers(labels)) {
    for (const std::string& label : labels) numbers.push_back(*number_in(label));
  }
  std::vector<std::uint32_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    // 1 and 1.0 are two labels.
    if (!numbers.empty() && numbers[a] != numbers[b]) return numbers[a] < numbers[b];
    return labels[a] < labels[b];
  });
  return order;
}

std::vector<std::string> ordered(const std::vector<std::string>& labels,
                                 const std::vector<std::uint32_t>& order) {
  std::vector<std::string> sorted;
  sorted.reserve(labels.size());
  for (const std::uint32_t label : order) sorted.push_back(labels[label]);
  return sorted;
}

// 1, 1.0 and 1e0 are one class.
std::string as_number(const std::string& name) {
  const auto number = number_in(name);
  return number ? fmt::format("{}", *number + 0.0) : name;  // -0 becomes 0
}

std::vector<std::string> as_numbers(std::vector<std::string> names) {
  for (std::string& name : names) name = as_number(name);
  return names;
}

}  // namespace

std::optional<LabelFault> fault_of_label(std::string_view label) {
  if (label.empty()) return LabelFault{"without a label", "one label for each person"};
  if (label.size() > kLongest) {
    return LabelFault{"a label of " + std::to_string(label.size()) + " bytes", "at most 200 bytes"};
  }
  const auto is_forbidden = [](char c) { return c == ',' || c == '"' || is_control(c); };
  if (std::any_of(label.begin(), label.end(), is_forbidden)) {
    return LabelFault{"a label with a comma, a quote or a control character", "plain text"};
  }
  if (!is_utf8(label)) return LabelFault{"no UTF-8", "plain text in UTF-8"};
  return {};
}

std::optional<LabelFault> fault_of_column(std::string_view name) {
  if (name.empty()) return LabelFault{"without a name", "a name for each column"};
  if (name.size() > kLongest) {
    return LabelFault{"a name of " + std::to_string(name.size()) + " bytes", "at most 200 bytes"};
  }
  if (std::any_of(name.begin(), name.end(), is_control))
    return LabelFault{"a name with a line break, a tab or another control character", "plain text"};
  if (!is_utf8(name)) return LabelFault{"no UTF-8", "plain text in UTF-8"};
  return {};
}

void sort_labels(std::vector<std::string>& labels) { labels = ordered(labels, order_of(labels)); }

void sort_labels(Groups& groups) {
  const std::vector<std::uint32_t> order = order_of(groups.labels);
  groups.labels = ordered(groups.labels, order);
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (std::uint32_t& group : groups.of_person) group = place[group];
}

void LabelColumn::add(std::string_view name, std::size_t line) {
  auto found = index_of_.find(name);
  if (found == index_of_.end()) {
    if (names_.size() == kMostLabels) {
      refuse(fmt::format("{} column '{}'", source_, column_),
             fmt::format("of more than {} different names", kMostLabels),
             "fewer of them: is it a column of measurements?");
    }
    found = index_of_.emplace(name, static_cast<std::uint32_t>(names_.size())).first;
    names_.emplace_back(name);
    lines_.push_back(line);
  }
  of_person_.push_back(found->second);
}

// `shown` are the names of this column in the form that `names` has them in.
Labels LabelColumn::relabelled(std::vector<std::string> names,
                               const std::vector<std::string>& shown) const {
  std::vector<std::uint16_t> place;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), shown[i]);
    if (found == names.end()) {
      refuse(fmt::format("{} line {} column '{}'", source_, lines_[i], column_),
             "a label that training has not", "labels that some training people have");
    }
    place.push_back(static_cast<std::uint16_t>(found - names.begin()));
  }
  Labels labels{.kind = LabelKind::one, .names = std::move(names)};
  labels.values.reserve(of_person_.size());
  for (const std::uint32_t name : of_person_) labels.values.push_back(place[name]);
  return labels;
}

Labels LabelColumn::labels() const {
  const bool numbers = all_numbers(names_);
  const auto shown = numbers ? as_numbers(names_) : names_;
  std::vector<std::string> names = shown;
  sort_labels(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() < 2)
    refuse(fmt::format("{} column '{}'", source_, column_), "of one class",
           "labels of at least two classes");
  return relabelled(std::move(names), shown);
}

Groups LabelColumn::groups() const {
  Groups groups = {.of_person = of_person_, .labels = names_};
  sort_labels(groups);
  return groups;
}

Labels LabelColumn::labels(const Labels& train) const {
  return relabelled(train.names, all_numbers(train.names) ? as_numbers(names_) : names_);
}

}  // namespace ration
