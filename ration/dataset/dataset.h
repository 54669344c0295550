// What a model is trained on and tested with: records of people, which are rows of features and
// labels, whose they are and, for reporting, people's groups. Values; what they hold is private.
// docs/data.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ration/file/table.h"

namespace ration {

// Each record has one label of several (a class), or any number of them.
enum class LabelKind { one, many };

// What a data set may have of them.
inline constexpr std::size_t kMostLabels = 10'000;

struct Labels {
  LabelKind kind = LabelKind::one;
  std::vector<std::string> names = {};  // of all labels; as many as a model has outputs
  // One: each record's label, below names.size(). Many: records x names, 0 or 1.
  std::vector<std::uint16_t> values = {};

  std::size_t count() const { return names.size(); }
  std::size_t records() const {
    return kind == LabelKind::one ? values.size() : values.size() / names.size();
  }
  // One value, or one for each label.
  std::span<const std::uint16_t> of(std::size_t record) const {
    const std::size_t width = kind == LabelKind::one ? 1 : names.size();
    return {values.data() + record * width, width};
  }

  friend bool operator==(const Labels&, const Labels&) = default;
};

struct Groups {
  std::vector<std::uint32_t> of_person;  // indices into labels
  std::vector<std::string> labels;       // in an order that says nothing of who is in which
};

// A person has one record, or several where records are taken together: then `begins` is there,
// whether or not anybody has more than one.
struct People {
  Table features = {};                // a row for each record, all finite
  Labels labels = {};                 // of each record
  Groups groups = {};                 // of each person; without labels if there are none
  std::vector<std::string> ids = {};  // of each person; empty if none were given
  // The first record of each person, whose others follow it, and at the end how many records there
  // are; empty if each person has one.
  std::vector<std::size_t> begins = {};

  std::size_t count() const { return together() ? begins.size() - 1 : records(); }
  std::size_t records() const { return features.rows; }
  bool together() const { return !begins.empty(); }
  std::size_t first_record(std::size_t person) const {  // also of nobody, behind the last
    return together() ? begins[person] : person;
  }
  std::size_t records_of(std::size_t person) const {
    return first_record(person + 1) - first_record(person);
  }
};

struct Dataset {
  People train = {}, test = {};  // like features and labels; test may be empty
  // Where it comes from, for the summary: "synthetic clinical cohort, seed 1".
  std::string description = {};
};

}  // namespace ration
