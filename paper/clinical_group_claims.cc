#include <fmt/format.h>

#include "paper/clinical_claims.h"
#include "paper/clinical_texts.h"

namespace ration {
namespace {

using Run = Resampled<GroupMoments>;

std::string text_of(const Estimate& estimate) {
  return fmt::format("{:.4f} ({:.4f} to {:.4f})", estimate.value, estimate.low, estimate.high);
}
std::string spread_text(const Spread& spread) {
  return fmt::format("from {:.4f} to {:.4f}, a change of {}", spread.before, spread.after,
                     signed_text(spread.change));
}
std::string changes_text(const LossChanges::Side& side, const std::vector<std::string>& groups) {
  std::string text;
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    text += fmt::format("{}{} {}", g == 0 ? "" : ", ", groups[g], signed_text(side.changes[g]));
  }
  return text;
}

// The correlations are above 0, and the least of all are of one group.
std::vector<Evidence> of_association(const Association& found) {
  const auto same = [&](std::size_t least_loss) {
    return known(found.least_epsilon == least_loss ? 1 : 0);
  };
  return {
      {.what = "rank correlation of epsilon and loss in training",
       .number = found.train,
       .above = 0},
      {.what = "rank correlation of epsilon and loss in test", .number = found.test, .above = 0},
      {.what = "1 if one group has the least epsilon and the least loss in training",
       .number = same(found.least_train_loss),
       .above = 0.5},
      {.what = "1 if one group has the least epsilon and the least loss in test",
       .number = same(found.least_test_loss),
       .above = 0.5}};
}

// The best group's loss falls, and that of all others rises.
void add_changes(const LossChanges::Side& side, const char* where,
                 const std::vector<std::string>& groups, std::vector<Evidence>& to) {
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    const bool is_best = g == side.best;
    Evidence& change =
        to.emplace_back(Evidence{.what = fmt::format("change of loss in {}: {}{}", where, groups[g],
                                                     is_best ? " (the best group)" : ""),
                                 .number = side.changes[g]});
    (is_best ? change.below : change.above) = 0;
  }
}

// Epsilons come nearer to each other, and losses in training and in test move apart.
std::vector<Evidence> of_spreads(const Spreads& found) {
  return {
      {.what = "change of the spread of mean epsilons", .number = found.epsilon.change, .below = 0},
      {.what = "change of the spread of losses in training",
       .number = found.train_loss.change,
       .above = 0},
      {.what = "change of the spread of losses in test",
       .number = found.test_loss.change,
       .above = 0}};
}

}  // namespace

std::vector<Claim> group_claims(std::span<const Run> runs, const std::vector<std::string>& groups) {
  const Association order = association(runs[0]);
  const LossChanges changes = loss_changes(runs[0]);
  const Spreads spread = spreads(runs[0]);
  return {
      judged("Groups with the smallest mean epsilon have the smallest losses, in training and in "
             "test.",
             fmt::format("Before filtering, in the first run, the rank correlation of mean epsilon "
                         "and mean loss over the five groups is {} in training and {} in test. The "
                         "smallest mean epsilon is that of '{}'; the smallest loss is that of '{}' "
                         "in training and of '{}' in test.",
                         text_of(order.train), text_of(order.test), groups[order.least_epsilon],
                         groups[order.least_train_loss], groups[order.least_test_loss]),
             in_every_run(runs, [](const Run& run) { return of_association(association(run)); })),
      judged(
          "Filtering lowers the loss of the best group and raises it for the others, in training "
          "and in test.",
          fmt::format("Changes of loss in the first run, from the start of filtering to the end: "
                      "in training {}; in test {}. The best group before filtering is '{}' in "
                      "training and '{}' in test.",
                      changes_text(changes.train, groups), changes_text(changes.test, groups),
                      groups[changes.train.best], groups[changes.test.best]),
          in_every_run(runs,
                       [&](const Run& run) {
                         const LossChanges found = loss_changes(run);
                         std::vector<Evidence> all;
                         add_changes(found.train, "training", groups, all);
                         add_changes(found.test, "test", groups, all);
                         return all;
                       })),
      judged("Filtering makes the groups' epsilons more equal, but the differences between their "
             "losses larger.",
             fmt::format("From the smallest to the largest of the five groups, in the first run: "
                         "mean epsilon {}; loss in training {}; loss in test {}.",
                         spread_text(spread.epsilon), spread_text(spread.train_loss),
                         spread_text(spread.test_loss)),
             in_every_run(runs, [](const Run& run) { return of_spreads(spreads(run)); }))};
}

}  // namespace ration
