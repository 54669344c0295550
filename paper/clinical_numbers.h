// What the runs of the clinical experiment show, as numbers with intervals. Unless it says
// otherwise, intervals are over the people within one run: each group is resampled by itself, and
// what is compared is compared for the same people. They leave out the noise of training. Pure
// functions, on all cores.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "paper/clinical_groups.h"
#include "paper/clinical_run.h"
#include "paper/statistics.h"

namespace ration::paper {

using PerGroup = std::array<double, kPaperGroups>;
struct GroupMeans {
  PerGroup epsilon, train_loss, test_loss;
};
struct GroupMoments {
  GroupMeans before, after;  // of filtering
};
Resampled<GroupMoments> group_moments(const ClinicalRun& run, const ClinicalGroups& groups,
                                      std::size_t resamples);

// Over the five groups before filtering: how the order of mean epsilons follows that of mean
// losses, and which group has the least of each.
struct Association {
  Estimate train, test;  // rank correlations
  std::size_t least_epsilon, least_train_loss, least_test_loss;
};
Association association(const Resampled<GroupMoments>& moments);

// How each group's mean loss changes from the start of filtering to the end. The best group is the
// one with the least loss before.
struct LossChanges {
  struct Side {
    std::array<Estimate, kPaperGroups> changes;
    std::size_t best;
  };
  Side train, test;
};
LossChanges loss_changes(const Resampled<GroupMoments>& moments);

// The largest less the smallest of the groups.
struct Spread {
  double before, after;
  Estimate change;
};
struct Spreads {
  Spread epsilon, train_loss, test_loss;
};
Spreads spreads(const Resampled<GroupMoments>& moments);

// How much each run gains in macro AUC on test people from the start of filtering to the end, for
// the same resamples.
struct ClipGains {
  std::vector<double> multiples;  // the clip bound of each run; equal ones one after the other
  Resampled<std::vector<double>> gains;
};
ClipGains clip_gains(std::span<const ClinicalRun> runs, const People& test, std::size_t resamples);
// The gains of all runs with this clip bound.
std::vector<Estimate> gains_at(const ClipGains& gains, double clip_multiple);
// The mean over clip bounds of the mean over their runs. Where a clip bound has several runs, these
// are resampled too: the interval holds their noise.
Estimate overall_gain(const ClipGains& gains);

// A gain smaller than this is not worth filtering for; a loss smaller than this does not matter.
inline constexpr double kNegligibleGain = 0.005;

// The share of everybody in training whose epsilon before filtering is above this part of the
// budget.
inline constexpr double kNearBudget = 0.95, kFarFromBudget = 0.75;
Estimate share_above(double part_of_budget, const ClinicalRun& run, std::size_t resamples);

}  // namespace ration::paper
