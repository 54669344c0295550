// People's features and labels from arrays of numbers, NPY files and the bytes of IDX files, one
// row per person. Labels are named by their numbers. Pure functions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ration/dataset/dataset.h"

namespace ration {

// float32 or float64 in two dimensions, all finite in float32.
Table read_npy_rows(const std::filesystem::path& file);

// One dimension: classes, whole numbers from 0 on, of any type. Two dimensions: one column for each
// label, 0 or 1. Refuses anything else, with the row and without the value.
Labels read_npy_labels(const std::filesystem::path& file);
// The same, of test people, who have the labels of training.
Labels read_npy_labels(const std::filesystem::path& file, const Labels& train);

// One class per person: 0 to the largest that is there. Refuses fewer than two classes and more
// than kMostLabels.
Labels class_labels(std::vector<std::uint16_t> classes, const std::string& source);
// With the classes of the training labels. Refuses, with the row, a class that is not among them.
Labels class_labels(std::vector<std::uint16_t> classes, const Labels& train,
                    const std::string& source);

}  // namespace ration
