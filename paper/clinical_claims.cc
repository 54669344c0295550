#include "paper/clinical_claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "ration/base/bound.h"

namespace ration::paper {
namespace {

using Run = Resampled<GroupMoments>;

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

std::string gains_text(const ClipGains& gains) {
  std::vector<std::string> texts;
  for (const double multiple : kClipMultiples) {
    texts.push_back(fmt::format("{}x {}", multiple, signed_text(gains_at(gains, multiple)[0])));
  }
  return fmt::format(
      "Changes of the macro AUC in one run of each multiple of the paper's clip "
      "bound: {}.",
      fmt::join(texts, ", "));
}

std::string gain_name(double multiple) {
  return fmt::format("change of macro AUC at {}x", multiple);
}

// What is said of one clip bound, judged in every run with it.
struct Limits {
  std::optional<double> above = {}, below = {};
};
Claim claim_about(const ClipGains& gains, double multiple, const Limits& limits,
                  std::string statement) {
  const std::vector<Estimate> found = gains_at(gains, multiple);
  return judged(
      std::move(statement),
      fmt::format("In the first run it changes the macro AUC by {}.", signed_text(found[0])),
      in_every_run(found, [&](const Estimate& gain) {
        return std::vector<Evidence>{{.what = gain_name(multiple),
                                      .number = gain,
                                      .above = limits.above,
                                      .below = limits.below}};
      }));
}

// Most of these have one run.
Claim no_gain_nearer(const ClipGains& gains) {
  std::vector<Evidence> nearer;
  std::vector<std::string> failing;
  for (const double multiple : kClipMultiples) {
    if (multiple == kLargestMultiple) continue;
    nearer.push_back({.what = gain_name(multiple),
                      .number = gains_at(gains, multiple)[0],
                      .below = kNegligibleGain});
    if (!agrees(nearer.back())) failing.push_back(fmt::format("{}x", multiple));
  }
  const std::string which =
      failing.empty()
          ? "It stays below that at all of them."
          : fmt::format("It is not certain to stay below that at {}.", fmt::join(failing, ", "));
  return judged(fmt::format("With no multiple nearer the paper's clip bound than {} does filtering "
                            "improve the macro AUC (by {} or more).",
                            kLargestMultiple, kNegligibleGain),
                fmt::format("{} {} The paper calls every multiple but its own sub-optimal, and "
                            "names {} as its example.",
                            gains_text(gains), which, kLargestMultiple),
                std::move(nearer));
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

std::vector<Claim> paper_noise_claims(const ClipGains& gains) {
  return {
      claim_about(
          gains, kPaperMultiple, {.above = -kNegligibleGain, .below = kNegligibleGain},
          fmt::format("With the paper's clip bound, filtering improves the macro AUC negligibly "
                      "(it changes by less than {} either way).",
                      kNegligibleGain)),
      claim_about(gains, kLargestMultiple, {.above = kNegligibleGain},
                  fmt::format("With {} times the paper's clip bound, filtering improves the "
                              "macro AUC (by more than {}).",
                              kLargestMultiple, kNegligibleGain)),
      no_gain_nearer(gains)};
}

Claim other_noise_claim(const ClipGains& gains) {
  const Estimate overall = overall_gain(gains);
  return judged(
      "Overall performance slightly increases with filtering (on average over the multiples of the "
      "clip bound).",
      fmt::format(
          "{} On average over the multiples, and over the {} runs of {}x and the {} runs of "
          "{}x, {}; this interval resamples those runs too, and leaves out the noise of the "
          "multiples that have one run.",
          gains_text(gains), gains_at(gains, kPaperMultiple).size(), kPaperMultiple,
          gains_at(gains, kLargestMultiple).size(), kLargestMultiple, signed_text(overall)),
      {{.what = "mean change of macro AUC over the multiples", .number = overall, .above = 0}});
}

Claim budget_share_claim(std::span<const ClinicalRun> runs, std::size_t resamples) {
  const bool is_paper_clip = runs[0].clip_multiple == kPaperMultiple;
  const double part = is_paper_clip ? kNearBudget : kFarFromBudget;
  const std::string what = fmt::format("share of people above {:.0f}% of the budget", 100 * part);
  std::vector<Evidence> shares = in_every_run(runs, [&](const ClinicalRun& run) {
    Evidence share = {.what = what, .number = share_above(part, run, resamples)};
    (is_paper_clip ? share.above : share.below) = 0.5;
    return std::vector{share};
  });
  const Estimate first = shares[0].number;
  return judged(
      is_paper_clip
          ? fmt::format("With the paper's clip bound, a majority of people are near their "
                        "budget when filtering starts (above {:.0f}% of it).",
                        100 * part)
          : fmt::format("With {} times the paper's clip bound, a majority of people are "
                        "far from their budget when filtering starts (at {:.0f}% of it "
                        "or less).",
                        kLargestMultiple, 100 * part),
      fmt::format("In the first run {:.1f}% ({:.1f}% to {:.1f}%) of all people in training, not of "
                  "the groups alone, have an epsilon above {:.0f}% of the budget of {} then.",
                  100 * first.value, 100 * first.low, 100 * first.high, 100 * part,
                  rounded_up(runs[0].budget, 5)),
      std::move(shares));
}

}  // namespace ration::paper
