// The paper's experiments, each ready to run: where its data and settings meet. They run on the
// user's own files if they have them, and else on data that anybody can have. docs/reproduce.md
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "paper/reproduce.h"
#include "ration/dataset/dataset.h"

namespace ration::paper {

// `standing` says in a few words what they are to the paper's data.
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

struct PreparedExperiment {
  Experiment experiment;
  std::string data;  // what it runs on, in words
  std::chrono::seconds expected;
  std::function<std::vector<Figure>(const OnFraction&)> figures;
};

// Reads the data of the experiment, and refuses what is wrong with them.
PreparedExperiment prepared(Experiment experiment, const Reproduction& asked);

// About how long it takes; reads nothing.
std::chrono::seconds expected_time(Experiment experiment, const Reproduction& asked);

}  // namespace ration::paper
