#include "ration/dataset/dataset_groups.h"

#include <algorithm>

#include "ration/base/error.h"
#include "ration/dataset/label_order.h"

namespace ration {
namespace {

std::size_t index_of(const Labels& labels, const std::string& name) {
  const auto found = std::find(labels.names.begin(), labels.names.end(), name);
  if (found == labels.names.end()) refuse("label to group by", "'" + name + "'", "a label's name");
  return static_cast<std::size_t>(found - labels.names.begin());
}

template <class Holds>
Groups of_two(const Labels& labels, std::vector<std::string> names, const Holds& second) {
  Groups groups{.of_person = std::vector<std::uint32_t>(labels.people()),
                .labels = std::move(names)};
  for (std::size_t i = 0; i < groups.of_person.size(); ++i)
    groups.of_person[i] = second(labels.of(i)) ? 1 : 0;
  return groups;
}

}  // namespace

Groups groups_by_label(const Labels& labels, const GroupsByLabel& by) {
  const bool one = labels.kind == LabelKind::one;
  if (!by.label.empty()) {
    const std::size_t label = index_of(labels, by.label);
    return of_two(labels, {by.label, "no " + by.label}, [&](const auto& values) {
      return one ? values[0] != label : values[label] == 0;
    });
  }
  if (one) {
    return {.of_person = {labels.values.begin(), labels.values.end()}, .labels = labels.names};
  }
  return of_two(labels, {"no label", "some label"}, [](const auto& values) {
    return std::any_of(values.begin(), values.end(), [](auto value) { return value != 0; });
  });
}

void share_labels(Groups& first, Groups& second) {
  const std::size_t before = first.labels.size();
  std::vector<std::uint32_t> place;  // in the shared list, of each label of the second
  for (const std::string& label : second.labels) {
    const auto found = std::find(first.labels.begin(), first.labels.end(), label);
    place.push_back(static_cast<std::uint32_t>(found - first.labels.begin()));
    if (found == first.labels.end()) first.labels.push_back(label);
  }
  for (std::uint32_t& group : second.of_person) group = place[group];
  second.labels = first.labels;
  if (first.labels.size() == before) return;
  sort_labels(first);
  sort_labels(second);
}

}  // namespace ration
