// A few people to train on, for tests: two kinds of labels, some signal in the first features.
#pragma once

#include <random>
#include <string>

#include "ration/dataset/dataset.h"

namespace ration::train {

inline People small_people(std::size_t count, std::size_t features, std::size_t labels,
                           LabelKind kind, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  People people;
  people.features = {.rows = count, .columns = features, .values = {}};
  people.labels.kind = kind;
  for (std::size_t l = 0; l < labels; ++l) people.labels.names.push_back(std::to_string(l));
  for (std::size_t i = 0; i < count; ++i) {
    const auto own = static_cast<std::uint16_t>(random() % labels);
    for (std::size_t j = 0; j < features; ++j) {
      people.features.values.push_back(normal(random) + (j == own ? 2.0F : 0.0F));
    }
    if (kind == LabelKind::one) {
      people.labels.values.push_back(own);
      continue;
    }
    for (std::size_t l = 0; l < labels; ++l) {
      people.labels.values.push_back(l == own || random() % 4 == 0 ? 1 : 0);
    }
  }
  return people;
}

}  // namespace ration::train
