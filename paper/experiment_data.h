// What the paper's experiments run on: the user's own files if they have them, and else data that
// anybody can have. docs/reproduce.md
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ration/dataset/dataset.h"

namespace ration {

// With what they are to the paper's data, in a few words.
struct ExperimentData {
  Dataset data;
  std::string standing;
};

// The four IDX files of MNIST or its kin in a folder, by default those of Fashion-MNIST as the
// package dataset-fashion-mnist installs them. Where they are missing, says how to get them.
ExperimentData mnist_data(const std::optional<std::filesystem::path>& folder);

// train_X.npy, train_y.npy, test_X.npy and test_y.npy of the MIMIC-III phenotyping benchmark in a
// folder; by default the synthetic cohort.
ExperimentData clinical_data(const std::optional<std::filesystem::path>& folder);

}  // namespace ration
