// People's features and labels from NPY files, one row per person. Pure functions.
#pragma once

#include <filesystem>

#include "ration/dataset/dataset.h"

namespace ration {

// float32 or float64 in two dimensions, all finite in float32.
Table read_npy_rows(const std::filesystem::path& file);

// One dimension: classes, whole numbers from 0 on, of any type. Two dimensions: one column for each
// label, 0 or 1. Labels are named by their numbers. Refuses, with the row and without the value,
// anything else.
Labels read_npy_labels(const std::filesystem::path& file);
// The same, of test people, who have the labels of training.
Labels read_npy_labels(const std::filesystem::path& file, const Labels& train);

}  // namespace ration
