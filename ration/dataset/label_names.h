// The names of labels and groups: what may be one, their order, and a column of them. They are
// printed in tables, JSON and HTML, and written as CSV. The functions are pure; a column is not for
// two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ration/dataset/dataset.h"

namespace ration {

// How a refusal goes on: "... is FOUND: give ACCEPTED". Neither shows the text.
struct LabelFault {
  std::string found;
  std::string_view accepted;
};

// What is wrong with the name of a label or a group: that it is empty, longer than 200 bytes, not
// UTF-8, or that it holds a comma, a quote or a control character.
std::optional<LabelFault> fault_of_label(std::string_view label);
// Of a column, which may have commas and quotes in its name.
std::optional<LabelFault> fault_of_column(std::string_view name);

// Labels are written in the order of numbers if all of them are numbers, else in that of text. The
// order follows from the labels alone, and says nothing of who had which first.
void sort_labels(std::vector<std::string>& labels);
// Everybody stays in the group of their label.
void sort_labels(Groups& groups);

// A column of text with a name for each person, which says their class or their group. The same
// names give the same labels whoever comes first.
class LabelColumn {
 public:
  // What a refusal calls the file and its column.
  LabelColumn(std::string source, std::string column)
      : source_(std::move(source)), column_(std::move(column)) {}

  // The next person's, who stands on this line. Refuses more than kMostLabels names (dataset.h).
  void add(std::string_view name, std::size_t line);

  // As classes: 1 and 1.0 are one if all names are numbers. Refuses fewer than two classes.
  Labels labels() const;
  // With the labels of training. Refuses, with the line, a name that is not among them.
  Labels labels(const Labels& train) const;

  // As groups: each name as it is written.
  Groups groups() const;

 private:
  Labels relabelled(std::vector<std::string> names, const std::vector<std::string>& shown) const;

  std::string source_, column_;
  std::map<std::string, std::uint32_t, std::less<>> index_of_;
  std::vector<std::string> names_;  // in order of appearance
  std::vector<std::size_t> lines_;  // on which they appear first
  std::vector<std::uint32_t> of_person_;
};

}  // namespace ration
