// The training of figure 1: ordinary DP-SGD, in which the norms of a few people are computed at
// every step. Each of them pays at every step, drawn or not, for what they would contribute, as the
// trainer clips and rounds it; so what their accounts say holds for what was released. Private.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "paper/mnist_experiment.h"
#include "ration/individual/accounts.h"
#include "ration/train/training_plan.h"

namespace ration {

struct MnistRun {
  train::TrainingPlan plan;
  std::vector<std::size_t> people;  // who was followed: places among the people trained on
  Accounts coarse;                  // theirs, in 100 buckets as the paper's: from 2 to 30, linear
  Accounts fine;                    // in 256 geometric ones
  std::size_t chosen;               // one of them, at random: a place in `people`
  Accounts of_chosen;               // alone, in 50 linear buckets, as the paper's left figure
  std::optional<double> accuracy;   // of the test people, if there are any
};
MnistRun run_mnist(const Dataset& data, const MnistSettings& settings,
                   const OnFraction& on_fraction = {});

// The plan of the training at a delta, which changes nothing in it.
train::TrainingPlan mnist_plan(const MnistSettings& settings, Delta delta);

}  // namespace ration
