// What a run's settings ask of its noise and of its filter, settled before any data are read: how
// much noise, and what a person may spend in which currency. Every part is made for the delta that
// accounts are kept at (accounted_delta). Prices of a tight filter take up to some seconds: the
// last few are kept. Safe from any thread. docs/training.md, "Which filter"
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ration/train/training_plan.h"

namespace ration::train {

struct FilterAsk {
  std::optional<double> noise = {}, privacy_epsilon = {};  // one of them
  // By default none without a budget, gdp at rate 1, and with sampling tight or rdp, whichever lets
  // people at the clip bound take more steps (or the same for a smaller epsilon, or with less
  // noise).
  std::optional<std::string> kind = {}, of_samples = {};  // the second instead of the better one
  std::optional<double> epsilon = {}, mu = {};
  std::optional<std::uint64_t> after_epochs = {};
};

// Sets the noise and the filter of a plan that is complete but for them. An epsilon becomes the
// least noise that keeps to it: over all epochs, or over those that the filter's budget is worth,
// as the filter accounts for them; for a tight filter to 0.02% of epsilon. Refuses several budgets
// or none, a kind that does not go with the mode, and what no filter can be made for.
void settle(TrainingPlan& plan, const FilterAsk& asked);

// Steps of somebody whose norm is always at the clip bound that fit into an epsilon.
struct WorstCaseSteps {
  std::uint64_t tight_accounting;      // of steps fixed in advance, without a filter
  std::optional<std::uint64_t> tight;  // none: no prices are found
  std::uint64_t rdp;
};
// Of the budget of a filter for sampled steps, at its epsilon; nothing for other plans, and where
// the budget is a mu.
std::optional<WorstCaseSteps> worst_case_steps(const TrainingPlan& plan);

// The same plan, with what a filter says that was made for it before: prices stay what they were.
TrainingPlan with_prices_of(TrainingPlan plan, const std::optional<Filter>& filter);

}  // namespace ration::train
