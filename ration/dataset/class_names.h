// The classes in a column of text: their names sorted, as numbers if all of them are, so that the
// same names give the same labels whoever comes first. Not for two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ration/dataset/dataset.h"

namespace ration {

class ClassNames {
 public:
  // What a refusal calls the file and its column. The first person stands on line 2.
  ClassNames(std::string source, std::string column)
      : source_(std::move(source)), column_(std::move(column)) {}

  // The next person's. Refuses more than kMostLabels names (class_labels.h).
  void add(std::string_view name);

  // Refuses fewer than two classes.
  Labels labels() const;
  // With the labels of training. Refuses, with the line, a name that is not among them.
  Labels labels(const Labels& train) const;

  // Each name as it is written, in the same order.
  Groups groups() const;

 private:
  Labels relabelled(std::vector<std::string> names, const std::vector<std::string>& shown) const;

  std::string source_, column_;
  std::map<std::string, std::uint32_t, std::less<>> index_of_;
  std::vector<std::string> names_;  // in order of appearance
  std::vector<std::uint32_t> of_person_;
};

}  // namespace ration
