// The training of figure 1: ordinary DP-SGD, in which the norms of a few people are computed at
// every step. Each of them pays at every step, drawn or not, for what they would contribute, as the
// trainer clips and rounds it; so what their accounts say holds for what was released. Private.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "paper/mnist_claims.h"
#include "paper/mnist_experiment.h"
#include "ration/base/bound.h"
#include "ration/base/values.h"
#include "ration/individual/accounts.h"
#include "ration/individual/blackwell.h"
#include "ration/train/training_plan.h"

namespace ration::paper {

struct MnistRun {
  train::TrainingPlan plan;
  std::vector<std::size_t> people;  // who was followed: places among the people trained on
  Accounts coarse;                  // in 100 linear buckets from 2 to 30, like the paper's
  Accounts fine;                    // in 256 geometric ones
  std::size_t chosen;               // one of them, at random: a place in `people`
  Accounts of_chosen;               // alone, in 50 linear buckets, as the paper's left figure
  std::optional<double> accuracy;   // of the test people, if there are any
};
MnistRun run_mnist(const Dataset& data, const MnistSettings& settings,
                   const OnFraction& on_fraction = {});

// The plan of the training at a delta, which changes nothing in it.
train::TrainingPlan mnist_plan(const MnistSettings& settings, Delta delta);

// What the accounts of a run of figure 1 say: one person's curve, and everybody's eps at a delta by
// several accountants. What is certified covers the rounding of noise and sums that were computed,
// as every run's promise does. Private. Pure functions, on all cores.

// As the paper's scripts have them.
inline constexpr BlackwellRange kFittedOnOne = {.from = 0.01, .to = 0.8, .points = 30};
inline constexpr BlackwellRange kFittedOnAll = {.from = 0.01, .to = 0.3, .points = 30};

// The curve of the chosen person from eps 0.01 to 1.59, twice as far as it was fitted on: at the
// points of the fit, and halfway between them.
std::vector<FittedPoint> curve_of_chosen(const MnistRun& run);

// Of everybody who was followed. The approximation's ends are not certified.
struct MnistEpsilons {
  Delta delta;
  std::vector<Bound> pld, renyi_short, renyi, approximate;  // in the paper's buckets
  std::vector<Bound> fine;                                  // by PLD, in 256 geometric buckets
  // By PLD, what the approximation is to bound: the plans that counts are rounded up to, without
  // what computed noise adds.
  std::vector<Bound> rounded_up_plans;
  std::size_t wide;  // people whose PLD ends are not sharp
  Bound worst_case;  // of anybody, by PLD
  double floor;      // by PLD, of somebody at the last of the paper's buckets at every step
};
MnistEpsilons epsilons_of(const MnistRun& run, Delta delta);

}  // namespace ration::paper
