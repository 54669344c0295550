// Labels of one class per person, given as numbers from 0 on, whose names are these numbers. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ration/dataset/dataset.h"

namespace ration {

inline constexpr std::size_t kMostLabels = 10'000;

// With classes 0 to the largest that is there. Refuses fewer than two of them and more than
// kMostLabels.
Labels class_labels(std::vector<std::uint16_t> classes, const std::string& source);
// With the classes of the training labels. Refuses, with the row, a class that is not among them.
Labels class_labels(std::vector<std::uint16_t> classes, const Labels& train,
                    const std::string& source);

}  // namespace ration
