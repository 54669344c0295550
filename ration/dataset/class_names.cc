#include "ration/dataset/class_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ration/base/error.h"
#include "ration/dataset/class_labels.h"
#include "ration/dataset/label_order.h"

namespace ration {
namespace {

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

void ClassNames::add(std::string_view name) {
  auto found = index_of_.find(name);
  if (found == index_of_.end()) {
    if (names_.size() == kMostLabels) {
      refuse(fmt::format("{} column '{}'", source_, column_),
             fmt::format("of more than {} different names", kMostLabels),
             "fewer of them: is it a column of measurements?");
    }
    found = index_of_.emplace(name, static_cast<std::uint32_t>(names_.size())).first;
    names_.emplace_back(name);
  }
  of_person_.push_back(found->second);
}

// `shown` are the names of this column in the form that `names` has them in.
Labels ClassNames::relabelled(std::vector<std::string> names,
                              const std::vector<std::string>& shown) const {
  std::vector<std::uint16_t> place;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), shown[i]);
    if (found == names.end()) {
      const auto row = std::find(of_person_.begin(), of_person_.end(), i) - of_person_.begin();
      refuse(fmt::format("{} line {} column '{}'", source_, row + 2, column_),
             "a label that training has not", "labels that some training people have");
    }
    place.push_back(static_cast<std::uint16_t>(found - names.begin()));
  }
  Labels labels{.kind = LabelKind::one, .names = std::move(names)};
  labels.values.reserve(of_person_.size());
  for (const std::uint32_t name : of_person_) labels.values.push_back(place[name]);
  return labels;
}

Labels ClassNames::labels() const {
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

Groups ClassNames::groups() const {
  Groups groups = {.of_person = of_person_, .labels = names_};
  sort_labels(groups);
  return groups;
}

Labels ClassNames::labels(const Labels& train) const {
  return relabelled(train.names, all_numbers(train.names) ? as_numbers(names_) : names_);
}

}  // namespace ration
