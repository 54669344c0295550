#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ration/report/clinical_claims.h"
#include "ration/report/clinical_figures.h"
#include "ration/report/clinical_numbers.h"
#include "ration/report/clinical_texts.h"

namespace ration {
namespace {

Marker filtering_starts(const ClinicalSetup& setup) {
  return {.name = "people can be left out from here",
          .x = static_cast<double>(setup.settings.budget_epochs)};
}

// A row for each clip bound and epoch.
DataTable clipping_table(const ClinicalSetup& setup, std::span<const ClinicalRun> runs) {
  DataTable table = {.columns = {"clip_multiple", "clip", "epoch", "test_macro_auc", "active"},
                     .rows = {}};
  for (const char* name : {"train_loss", "test_loss", "mean_epsilon"}) {
    table.columns.emplace_back(name);
    for (const std::string& group : setup.groups.train.labels) {
      table.columns.push_back(fmt::format("{}:{}", name, group));
    }
  }
  for (const ClinicalRun& run : runs) {
    for (std::size_t e = 0; e < run.epochs.size(); ++e) {
      const ClinicalEpoch& epoch = run.epochs[e];
      std::vector<DataTable::Cell> row = {run.clip_multiple,
                                          static_cast<double>(run.plan.step.clip),
                                          static_cast<std::int64_t>(e + 1), epoch.test_auc,
                                          static_cast<std::int64_t>(epoch.active)};
      for (const auto* values : {&epoch.train_losses, &epoch.test_losses, &epoch.mean_epsilons}) {
        row.insert(row.end(), values->begin(), values->end());
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

template <class OfEpoch>
LineChart chart_over_epochs(const ClinicalSetup& setup, std::span<const ClinicalRun> runs,
                            const std::string& title, const OfEpoch& value) {
  LineChart chart = {.frame = {.title = title, .x = {.title = "epoch"}, .y = {.title = title}},
                     .lines = {},
                     .markers = {filtering_starts(setup)}};
  for (const ClinicalRun& run : runs) {
    Line line = {.name = fmt::format("clip {}x", run.clip_multiple), .x = {}, .y = {}};
    for (std::size_t e = 0; e < run.epochs.size(); ++e) {
      line.x.push_back(static_cast<double>(e + 1));
      line.y.push_back(value(run.epochs[e]));
    }
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

}  // namespace

Figure clipping_figure(const ClinicalSetup& setup, const ClinicalTarget& target,
                       std::span<const ClinicalRun> runs, std::span<const ClinicalRun> best) {
  const auto gains = auc_gains(runs, setup.data.test, setup.settings.resamples);
  std::vector<Claim> claims;
  if (best.empty()) {
    claims = {other_noise_claim(gains)};
  } else {
    claims = best_clip_claims(gains, auc_gains(best, setup.data.test, setup.settings.resamples));
  }
  return {
      .name = fmt::format("clinical-clipping-{}", target.name),
      .title = fmt::format("AUC and active people by clip bound, at epsilon {}", target.name),
      .paper =
          "A figure of the appendix \"Experiments with MIMIC-III\": macro AUC on test people and "
          "the number of people who still take part, by epoch, for clip bounds from half to "
          "five times the best.",
      .here =
          fmt::format("{} {} Clip bounds are multiples of {:.6g}. Gains are from epoch {} to {}. "
                      "{}",
                      people_text(setup), training_text(setup, runs[0]), kBestClip,
                      setup.settings.budget_epochs, setup.settings.epochs, kIntervals),
      .claims = std::move(claims),
      .charts = {chart_over_epochs(setup, runs, "macro AUC on test people",
                                   [](const ClinicalEpoch& epoch) { return epoch.test_auc; }),
                 chart_over_epochs(
                     setup, runs, "active people",
                     [](const ClinicalEpoch& epoch) { return static_cast<double>(epoch.active); })},
      .data = clipping_table(setup, runs),
      .about_people = true};
}

}  // namespace ration
