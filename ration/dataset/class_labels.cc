#include "ration/dataset/class_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ration/base/error.h"

namespace ration {

Labels class_labels(std::vector<std::uint16_t> classes, const std::string& source) {
  const auto largest = std::max_element(classes.begin(), classes.end());
  const std::size_t count = largest == classes.end() ? 0 : std::size_t{*largest} + 1;
  if (count < 2) refuse(source, "of one class", "labels of at least two classes");
  if (count > kMostLabels) {
    refuse(source, fmt::format("of {} classes", count), fmt::format("at most {}", kMostLabels));
  }
  Labels labels{.kind = LabelKind::one, .values = std::move(classes)};
  for (std::size_t i = 0; i < count; ++i) labels.names.push_back(std::to_string(i));
  return labels;
}

Labels class_labels(std::vector<std::uint16_t> classes, const Labels& train,
                    const std::string& source) {
  const auto unseen = std::find_if(classes.begin(), classes.end(),
                                   [&](std::uint16_t label) { return label >= train.count(); });
  if (unseen != classes.end()) {
    refuse(fmt::format("{} row {} (from 0)", source, unseen - classes.begin()),
           "a class beyond those in training",
           fmt::format("classes from 0 to {}", train.count() - 1));
  }
  return {.kind = LabelKind::one, .names = train.names, .values = std::move(classes)};
}

}  // namespace ration
