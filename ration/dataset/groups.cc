#include "ration/dataset/groups.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ration/base/error.h"
#include "ration/dataset/label_names.h"
#include "ration/file/csv.h"

namespace ration {
namespace {

constexpr std::size_t kMost = 10'000;

// Lines of people and labels, where the file may say either only.
class Lines {
 public:
  Lines(std::istream& in, const std::string& source) : in_(in), source_(source) {
    more_ = csv::first_line(in_, line_, source_);
    const auto header = csv::cells_of(line_);
    numbered_ = header == std::vector<std::string_view>{"person", "group"};
    if (numbered_ || header == std::vector<std::string_view>{"group"}) advance();
  }

  bool more() const { return more_; }
  std::string where() const { return source_ + " line " + std::to_string(number_); }

  // Of the person whose line this has to be.
  std::string_view label(std::size_t person) const {
    if (!numbered_) return csv::trimmed(line_);
    const auto cells = csv::cells_of(line_);
    if (cells.size() != 2) {
      refuse(where(), std::to_string(cells.size()) + " values long", "2 values: person,group");
    }
    if (cells[0] != std::to_string(person)) {
      refuse(where(), "of another person",
             "person " + std::to_string(person) + ": everybody once, in order, counted from 0");
    }
    return cells[1];
  }

  void advance() {
    more_ = csv::next_line(in_, line_, source_);
    ++number_;
  }

 private:
  std::istream& in_;
  const std::string& source_;
  std::string line_;
  std::size_t number_ = 1;
  bool more_ = false, numbered_ = false;
};

void check_label(std::string_view label, const Lines& lines) {
  if (const auto fault = fault_of_label(label))
    refuse(lines.where(), fault->found, fault->accepted);
}

}  // namespace

Groups read_groups(std::istream& in, const std::string& source, std::size_t people) {
  const std::string accepted = "one label for each of the " + std::to_string(people) + " people";
  Groups groups;
  std::unordered_map<std::string, std::uint32_t> index_of;
  for (Lines lines(in, source); lines.more(); lines.advance()) {
    if (groups.of_person.size() == people) {
      refuse(source, "more than " + std::to_string(people) + " labels long", accepted);
    }
    const std::string_view label = lines.label(groups.of_person.size());
    check_label(label, lines);
    const auto next = static_cast<std::uint32_t>(groups.labels.size());
    const auto [found, is_new] = index_of.try_emplace(std::string(label), next);
    if (is_new) groups.labels.emplace_back(label);
    if (groups.labels.size() > kMost) {
      refuse(source, "a file of more than 10000 different labels", "fewer groups");
    }
    groups.of_person.push_back(found->second);
  }
  if (groups.of_person.size() != people) {
    refuse(source, std::to_string(groups.of_person.size()) + " labels long", accepted);
  }
  sort_labels(groups);
  return groups;
}

Groups read_groups(const std::filesystem::path& file, std::size_t people) {
  std::ifstream in = csv::open("groups", file);
  return read_groups(in, file.filename().string(), people);
}

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
