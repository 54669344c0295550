#include "ration/report/clinical_claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "ration/report/clinical_texts.h"
#include "ration/report/rounded_text.h"

namespace ration {
namespace {

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

}  // namespace

std::vector<Claim> paper_noise_claims(const ClipGains& gains) {
  const std::vector<Estimate> paper = gains_at(gains, kPaperMultiple),
                              largest = gains_at(gains, kLargestMultiple);
  std::vector<Evidence> nearer;
  for (const double multiple : kClipMultiples) {
    if (multiple == kLargestMultiple) continue;
    nearer.push_back({.what = gain_name(multiple),
                      .number = gains_at(gains, multiple)[0],
                      .below = kNegligibleGain});
  }
  std::vector<std::string> failing;
  for (const Evidence& one : nearer) {
    if (!agrees(one)) failing.push_back(one.what);
  }
  return {
      judged(fmt::format("With the paper's clip bound, filtering improves the macro AUC negligibly "
                         "(it changes by less than {} either way).",
                         kNegligibleGain),
             fmt::format("In the first run it changes the macro AUC by {}.", signed_text(paper[0])),
             in_every_run(paper,
                          [](const Estimate& gain) {
                            return std::vector<Evidence>{{.what = gain_name(kPaperMultiple),
                                                          .number = gain,
                                                          .above = -kNegligibleGain,
                                                          .below = kNegligibleGain}};
                          })),
      judged(
          fmt::format("With {} times the paper's clip bound, filtering improves the macro AUC "
                      "(by more than {}).",
                      kLargestMultiple, kNegligibleGain),
          fmt::format("In the first run it changes the macro AUC by {}.", signed_text(largest[0])),
          in_every_run(largest,
                       [](const Estimate& gain) {
                         return std::vector<Evidence>{{.what = gain_name(kLargestMultiple),
                                                       .number = gain,
                                                       .above = kNegligibleGain}};
                       })),
      judged(
          fmt::format("With no multiple nearer the paper's clip bound does filtering improve the "
                      "macro AUC (by {} or more).",
                      kNegligibleGain),
          fmt::format("{} {}", gains_text(gains),
                      failing.empty() ? "None of them but the largest reaches that."
                                      : fmt::format("Not certain to stay below that: {}.",
                                                    fmt::join(failing, ", "))),
          std::move(nearer))};
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

}  // namespace ration
