#include "ration/dataset/groups.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ration/base/error.h"
#include "ration/dataset/label_names.h"
#include "ration/file/csv_rows.h"

namespace ration {
namespace {

constexpr std::size_t kMost = 10'000;

// No record has an unquoted line break in it: each is one cell.
constexpr csv::Dialect kOneColumn = {.separator = '\n'};

bool is_header(std::span<const std::string_view> cells, bool with_ids) {
  return cells.size() == 2 && (cells[0] == "person" || (with_ids && cells[0] == "id")) &&
         cells[1] == "group";
}

// People and labels, where the file may say either only.
class Lines {
 public:
  Lines(std::span<const std::byte> file, const std::string& source, const Ids& ids)
      : records_(file, source), ids_(ids) {
    named_ = records_.next() && is_header(records_.cells(), !ids.empty());
    if (!named_) {
      records_ = csv::Records(file, source, kOneColumn);
      more_ = records_.next();
      if (!more_ || records_.cells()[0] != "group") return;
    }
    advance();
  }

  bool more() const { return more_; }
  bool named() const { return named_; }
  std::string where() const { return records_.where(); }

  // Whose line this is, the next one's unless it names somebody by their id.
  struct Line {
    std::size_t person;
    std::string_view label;
  };
  Line line(std::size_t next) {
    const auto cells = records_.cells();
    if (!named_) return {next, cells[0]};
    if (cells.size() != 2) {
      refuse(where(), std::to_string(cells.size()) + " values long", "2 values: person,group");
    }
    if (!ids_.empty()) {
      const auto person = ids_.find(cells[0]);
      if (!person) refuse(where(), "of an id that nobody has", "everybody once, by their ids");
      return {*person, cells[1]};
    }
    if (cells[0] != std::to_string(next)) {
      refuse(where(), "of another person",
             "person " + std::to_string(next) + ": everybody once, in order, counted from 0");
    }
    return {next, cells[1]};
  }

  void advance() { more_ = records_.next(); }

 private:
  csv::Records records_;
  const Ids& ids_;
  bool more_ = false, named_ = false;
};

void check_label(std::string_view label, const Lines& lines) {
  if (const auto fault = fault_of_label(label))
    refuse(lines.where(), fault->found, fault->accepted);
}

}  // namespace

Groups read_groups(std::istream& in, const std::string& source, std::size_t people, const Ids& ids,
                   OrderOfPeople order) {
  const std::string accepted = "one label for each of the " + std::to_string(people) + " people";
  const std::string text = csv::text_of(in, source);
  constexpr std::uint32_t kNone = UINT32_MAX;
  Groups groups = {.of_person = std::vector<std::uint32_t>(people, kNone), .labels = {}};
  std::unordered_map<std::string, std::uint32_t> index_of;
  std::size_t read = 0;
  Lines lines(std::as_bytes(std::span(text)), source, ids);
  if (order == OrderOfPeople::none && !lines.named()) {
    refuse(source, "without ids", "a CSV file with the columns person,group");
  }
  for (; lines.more(); lines.advance()) {
    if (read == people) {
      refuse(source, "more than " + std::to_string(people) + " labels long", accepted);
    }
    const auto [person, label] = lines.line(read);
    if (groups.of_person[person] != kNone) {
      refuse(lines.where(), "of somebody who had a line before", "everybody once");
    }
    check_label(label, lines);
    const auto next = static_cast<std::uint32_t>(groups.labels.size());
    const auto [found, is_new] = index_of.try_emplace(std::string(label), next);
    if (is_new) groups.labels.emplace_back(label);
    if (groups.labels.size() > kMost) {
      refuse(source, "a file of more than 10000 different labels", "fewer groups");
    }
    groups.of_person[person] = found->second;
    ++read;
  }
  if (read != people) refuse(source, std::to_string(read) + " labels long", accepted);
  sort_labels(groups);
  return groups;
}

Groups read_groups(const std::filesystem::path& file, std::size_t people, const Ids& ids,
                   OrderOfPeople order) {
  std::ifstream in = csv::open("groups", file);
  return read_groups(in, file.filename().string(), people, ids, order);
}

namespace {

std::size_t index_of(const Labels& labels, const std::string& name) {
  const auto found = std::find(labels.names.begin(), labels.names.end(), name);
  if (found == labels.names.end()) refuse("label to group by", "'" + name + "'", "a label's name");
  return static_cast<std::size_t>(found - labels.names.begin());
}

template <class Holds>
Groups of_two(const Labels& labels, std::vector<std::string> names, const Holds& second) {
  Groups groups{.of_person = std::vector<std::uint32_t>(labels.records()),
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
