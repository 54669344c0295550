#include "ration/report/clinical_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ration/report/rounded_text.h"

namespace ration {
namespace {

std::string text_of(const Estimate& estimate) {
  return fmt::format("{:.4f} ({:.4f} to {:.4f})", estimate.value, estimate.low, estimate.high);
}
std::string signed_text(const Estimate& estimate) {
  return fmt::format("{:+.4f} ({:+.4f} to {:+.4f})", estimate.value, estimate.low, estimate.high);
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

// In how many runs it held, and so whether it held.
template <class Run, class Judge>
Claim judged(std::string statement, std::string finding, std::span<const Run> runs,
             const Judge& held) {
  const auto times = static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), held));
  return {.statement = std::move(statement),
          .finding = fmt::format("{} The claim held in {} of {} runs with fresh noise.", finding,
                                 times, runs.size()),
          .held = 2 * times > runs.size()};
}

std::string gains_text(const Resampled<AucGains>& gains) {
  std::string text;
  for (std::size_t i = 0; i < kClipMultiples.size(); ++i) {
    text += fmt::format("{}{}x {}", i == 0 ? "" : ", ", kClipMultiples[i],
                        signed_text(gain_of(gains, i)));
  }
  return text;
}

std::string share_text(const Estimate& share, double part_of_budget, double budget) {
  return fmt::format(
      "{:.1f}% ({:.1f}% to {:.1f}%) of all people in training have an epsilon above {:.0f}% of the "
      "budget of {} then.",
      100 * share.value, 100 * share.low, 100 * share.high, 100 * part_of_budget,
      rounded_up(budget, 5));
}

}  // namespace

std::vector<Claim> group_claims(std::span<const Resampled<GroupMoments>> runs,
                                const std::vector<std::string>& groups) {
  using Run = Resampled<GroupMoments>;
  const Association order = association(runs[0]);
  const LossChanges changes = loss_changes(runs[0]);
  const Spreads spread = spreads(runs[0]);
  return {
      judged(
          "Groups with the smallest mean epsilon have the smallest losses, in training and in "
          "test.",
          fmt::format("Before filtering, the rank correlation of mean epsilon and mean loss over "
                      "the five groups is {} in training and {} in test. The smallest mean "
                      "epsilon is that of '{}'; the smallest loss is that of '{}' in training "
                      "and of '{}' in test.",
                      text_of(order.train), text_of(order.test), groups[order.least_epsilon],
                      groups[order.least_train_loss], groups[order.least_test_loss]),
          runs, [](const Run& run) { return least_epsilon_has_least_loss(association(run)); }),
      judged(
          "Filtering lowers the loss of the best group and raises it for the others, in training "
          "and in test.",
          fmt::format("Changes of loss in training: {}; in test: {}. The best group before "
                      "filtering is '{}' in training and '{}' in test.",
                      changes_text(changes.train, groups), changes_text(changes.test, groups),
                      groups[changes.train.best], groups[changes.test.best]),
          runs, [](const Run& run) { return best_gains_and_others_lose(loss_changes(run)); }),
      judged("Filtering makes the groups' epsilons more equal, but the differences between their "
             "losses larger.",
             fmt::format("From the smallest to the largest of the five groups: mean epsilon {}; "
                         "loss in training {}; loss in test {}.",
                         spread_text(spread.epsilon), spread_text(spread.train_loss),
                         spread_text(spread.test_loss)),
             runs, [](const Run& run) { return epsilons_even_out_and_losses_part(spreads(run)); })};
}

std::vector<Claim> best_clip_claims(const Resampled<AucGains>& gains,
                                    const Resampled<AucGains>& best_clip_gains) {
  std::vector<Estimate> best;
  for (std::size_t run = 0; run < best_clip_gains.observed.size(); ++run) {
    best.push_back(gain_of(best_clip_gains, run));
  }
  const Estimate largest = gain_of(gains, kLargestMultiple);
  return {
      judged("With the best clip bound, filtering improves the macro AUC negligibly at most.",
             fmt::format("It changes the macro AUC by {}; less than {} counts as negligible.{}",
                         signed_text(best[0]), kNegligibleGain,
                         is_below(best[0], 0) ? " Here it is a loss." : ""),
             std::span<const Estimate>(best), is_negligible_at_most),
      {.statement = "Away from the best clip bound, such as at 5 times it, filtering improves "
                    "the macro AUC.",
       .finding = fmt::format("Changes of the macro AUC by multiple of the best clip bound: {}.",
                              gains_text(gains)),
       .held = is_above(largest, 0)}};
}

Claim other_noise_claim(const Resampled<AucGains>& gains) {
  const Estimate overall = mean_gain(gains);
  return {
      .statement = "Overall performance slightly increases with filtering.",
      .finding = fmt::format("Changes of the macro AUC by multiple of the best clip bound: {}; on "
                             "average over the multiples {}.",
                             gains_text(gains), signed_text(overall)),
      .held = is_above(overall, 0)};
}

Claim near_budget_claim(const ClinicalRun& run, std::size_t resamples) {
  const Estimate near = share_above(kNearBudget, run, resamples);
  return {.statement =
              "With the best clip bound, a majority of people are near their budget when "
              "filtering starts.",
          .finding = share_text(near, kNearBudget, run.budget),
          .held = is_above(near, 0.5)};
}
Claim far_from_budget_claim(const ClinicalRun& run, std::size_t resamples) {
  const Estimate not_far = share_above(kFarFromBudget, run, resamples);
  return {.statement =
              "With 5 times the best clip bound, a majority of people are far from their "
              "budget when filtering starts.",
          .finding = share_text(not_far, kFarFromBudget, run.budget),
          .held = is_below(not_far, 0.5)};
}

}  // namespace ration
