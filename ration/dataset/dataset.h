// What a model is trained on and tested with: people's features, their labels and, for reporting,
// their groups. Values; what they hold is private. docs/data.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ration/file/table.h"

namespace ration {

// Each person has one label of several (a class), or any number of them.
enum class LabelKind { one, many };

// What a data set may have of them.
inline constexpr std::size_t kMostLabels = 10'000;

struct Labels {
  LabelKind kind = LabelKind::one;
  std::vector<std::string> names = {};  // of all labels; as many as a model has outputs
  // One: each person's label, below names.size(). Many: people x names, 0 or 1.
  std::vector<std::uint16_t> values = {};

  std::size_t count() const { return names.size(); }
  std::size_t people() const {
    return kind == LabelKind::one ? values.size() : values.size() / names.size();
  }
  // One value, or one for each label.
  std::span<const std::uint16_t> of(std::size_t person) const {
    const std::size_t width = kind == LabelKind::one ? 1 : names.size();
    return {values.data() + person * width, width};
  }

  friend bool operator==(const Labels&, const Labels&) = default;
};

struct Groups {
  std::vector<std::uint32_t> of_person;  // indices into labels
  std::vector<std::string> labels;       // in an order that says nothing of who is in which
};

struct People {
  Table features = {};  // all finite
  Labels labels = {};
  Groups groups = {};  // without labels if there are none

  std::size_t count() const { return features.rows; }
};

struct Dataset {
  People train = {}, test = {};  // like features and labels; test may be empty
  // Where it comes from, for the summary: "synthetic clinical cohort, seed 1".
  std::string description = {};
};

}  // namespace ration
