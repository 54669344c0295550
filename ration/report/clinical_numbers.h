// What is found in the runs of the clinical experiment, as numbers with intervals, and whether they
// say what the paper says. Intervals are over people within one run: each group is resampled by
// itself, and what is compared is compared for the same people. Pure functions, on all cores.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "ration/report/clinical_run.h"
#include "ration/report/paper_groups.h"
#include "ration/report/statistics.h"

namespace ration {

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
// The groups with the smallest mean epsilons have the smallest losses: the correlation is above 0,
// and the least of all are of one group.
bool least_epsilon_has_least_loss(const Association& found);

// Of each group's mean loss through filtering. The best group is the one with the least loss
// before.
struct LossChanges {
  struct Side {
    std::array<Estimate, kPaperGroups> changes;
    std::size_t best;
  };
  Side train, test;
};
LossChanges loss_changes(const Resampled<GroupMoments>& moments);
// The best group's loss falls, and that of all others rises, in training and in test.
bool best_gains_and_others_lose(const LossChanges& found);

// The largest less the smallest of the groups.
struct Spread {
  double before, after;
  Estimate change;
};
struct Spreads {
  Spread epsilon, train_loss, test_loss;
};
Spreads spreads(const Resampled<GroupMoments>& moments);
// Epsilons come nearer to each other, and losses in training and in test move apart.
bool epsilons_even_out_and_losses_part(const Spreads& found);

// The gain of macro AUC on test people through filtering, of each run, for the same resamples.
using AucGains = std::vector<double>;
Resampled<AucGains> auc_gains(std::span<const ClinicalRun> runs, const People& test,
                              std::size_t resamples);
Estimate gain_of(const Resampled<AucGains>& gains, std::size_t run);
Estimate mean_gain(const Resampled<AucGains>& gains);
// Less than so much is nothing that one would filter for.
inline constexpr double kNegligibleGain = 0.005;
bool is_negligible_at_most(const Estimate& gain);

// The share of everybody in training whose epsilon before filtering is above so much of the budget.
inline constexpr double kNearBudget = 0.95, kFarFromBudget = 0.75;
Estimate share_above(double part_of_budget, const ClinicalRun& run, std::size_t resamples);

}  // namespace ration
