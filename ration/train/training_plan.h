// What a private run will do, known before any data are read: how many steps, with which noise,
// clip bound and rate, and the filter in front. Pure functions. docs/training.md
#pragma once

#include <cstdint>
#include <optional>

#include "ration/base/values.h"
#include "ration/control/currency.h"
#include "ration/control/filter.h"
#include "ration/control/promise.h"
#include "ration/individual/epsilons.h"
#include "ration/individual/step.h"
#include "ration/mechanism/mechanism.h"

namespace ration::train {

struct FilterPlan {
  CurrencyPtr currency;
  Budget budget;  // of everybody
};

// An epoch is as many steps as draw everybody once on average.
std::uint64_t steps_per_epoch(Rate rate);

struct TrainingPlan {
  // At rate 1 everybody takes part in every step: gradient descent (DP-GD). Below 1 each step is a
  // noisy sum over a Poisson sample (DP-SGD).
  Step step;
  Delta delta;
  std::uint64_t epochs;
  // Below rate 1: everybody's norms are computed anew each time this many steps were made, starting
  // with the first, and hold as bounds in between. 1 computes them at every step. None: nobody's
  // norm is computed ahead, and everybody is charged for the clip bound, as ordinary DP-SGD has it.
  std::optional<std::uint64_t> refresh = 1;
  std::optional<FilterPlan> filter = {};

  bool sampled() const { return step.rate < 1.0; }
  std::uint64_t steps_per_epoch() const { return train::steps_per_epoch(step.rate); }
  std::uint64_t steps() const { return epochs * steps_per_epoch(); }
};

// Refuses no epochs, a refresh of 0, more steps than accounts count, a clip bound below 1e-10, a
// delta so small that what computed noise may add would show in it, and a GDP filter with a rate
// below 1. (At rate 1 a Renyi filter stops earlier than the exact one of GDP, but a ledger that
// counts in rdp takes all steps.) Without norms it refuses rate 1, where they come with the step,
// and a filter, which would stop everybody at once.
void check(const TrainingPlan& plan);

// The plan's first steps, this many, as accountants see them.
Plan run_of(const TrainingPlan& plan, std::uint64_t steps);

// How many steps, at most `most`, somebody may take whose norm is always at the clip bound.
std::uint64_t worst_steps_in(const FilterPlan& filter, const Step& step, std::uint32_t most);

// Until then nobody can be left out: the first step (from 0) that the filter may halt somebody at;
// nothing if that is after the last.
std::optional<std::uint64_t> first_filtered_step(const TrainingPlan& plan);

// What a private run promises everybody, and everybody's own eps, after it or in the midst of it.
// Noise and sums are computed, and differ from exact ones by a little: that is inside every eps
// here. Pure functions, on all cores. docs/training.md; docs/math/noise.md, "In the promise"

// What an eps is found at, a little smaller than the plan's delta, and what is added to it.
inline constexpr double kComputedEpsilon = 0x1p-30;
Delta accounted_delta(const TrainingPlan& plan);
Bound as_computed(const Bound& epsilon);

// What is told to everybody after this many charged steps, and what it rests on.
Promise promise_of(const TrainingPlan& plan, std::uint64_t steps);

// Everybody's own eps, by the method that the plan's rate calls for; nobody's is above what was
// promised to all by then. Private.
IndividualMethod method_of(const TrainingPlan& plan);
IndividualPrivacy everybody_of(const Accounts& accounts, const TrainingPlan& plan,
                               const Promise& promise);

}  // namespace ration::train
