// The paper's experiments, each ready to run: where its data and settings meet. docs/reproduce.md
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "paper/reproduce.h"

namespace ration {

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

}  // namespace ration
