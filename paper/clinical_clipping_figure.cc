#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "paper/clinical_claims.h"
#include "paper/clinical_figures.h"
#include "paper/clinical_numbers.h"
#include "paper/clinical_run.h"

namespace ration::paper {
namespace {

using report::Line;
using report::LineChart;
using report::Marker;

Marker filtering_starts(const ClinicalSetup& setup) {
  return {.name = "people can be left out from here",
          .x = static_cast<double>(setup.settings.budget_epochs)};
}

// A row for each run and epoch. Runs are counted by clip bound, from 1.
DataTable clipping_table(const ClinicalSetup& setup, std::span<const ClinicalRun> runs) {
  DataTable table = {
      .columns = {"clip_multiple", "clip", "run", "epoch", "test_macro_auc", "active"}, .rows = {}};
  for (const char* name : {"train_loss", "test_loss", "mean_epsilon"}) {
    table.columns.emplace_back(name);
    for (const std::string& group : setup.groups.train.labels) {
      table.columns.push_back(fmt::format("{}:{}", name, group));
    }
  }
  std::int64_t number = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const ClinicalRun& run = runs[r];
    const bool is_first = r == 0 || runs[r - 1].clip_multiple != run.clip_multiple;
    number = is_first ? 1 : number + 1;
    for (std::size_t e = 0; e < run.epochs.size(); ++e) {
      const ClinicalEpoch& epoch = run.epochs[e];
      std::vector<DataTable::Cell> row = {run.clip_multiple,
                                          static_cast<double>(run.plan.step.clip),
                                          number,
                                          static_cast<std::int64_t>(e + 1),
                                          epoch.test_auc,
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
  for (const double multiple : kClipMultiples) {
    const ClinicalRun& run = runs_at(runs, multiple).front();
    Line line = {.name = fmt::format("clip {}x", run.clip_multiple), .x = {}, .y = {}};
    for (std::size_t e = 0; e < run.epochs.size(); ++e) {
      line.x.push_back(static_cast<double>(e + 1));
      line.y.push_back(value(run.epochs[e]));
    }
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

// Which clip bound is best on these people, when filtering starts.
std::string best_here(const ClinicalSetup& setup, std::span<const ClinicalRun> runs) {
  const auto auc = [&](double multiple) {
    return runs_at(runs, multiple).front().epochs[setup.settings.budget_epochs - 1].test_auc;
  };
  const double best = *std::max_element(kClipMultiples.begin(), kClipMultiples.end(),
                                        [&](double a, double b) { return auc(a) < auc(b); });
  const std::string which = best == kPaperMultiple
                                ? fmt::format("that very bound ({:.4f})", auc(best))
                                : fmt::format("{} times that ({:.4f}, against {:.4f})", best,
                                              auc(best), auc(kPaperMultiple));
  return fmt::format(
      "The paper tuned its clip bound on MIMIC-III; here, in one run of each, the macro AUC at "
      "epoch "
      "{} is largest with {}.",
      setup.settings.budget_epochs, which);
}

std::string runs_text(std::span<const ClinicalRun> runs) {
  return fmt::format(
      "{} runs with the paper's clip bound, {} with {} times it, one with each other "
      "multiple; pictures are of the first, data of all.",
      runs_at(runs, kPaperMultiple).size(), runs_at(runs, kLargestMultiple).size(),
      kLargestMultiple);
}

}  // namespace

Figure clipping_figure(const ClinicalSetup& setup, const ClinicalTarget& target,
                       std::span<const ClinicalRun> runs) {
  const ClipGains gains = clip_gains(runs, setup.data.test, setup.settings.resamples);
  const bool is_paper_noise = target.noise.has_value();
  return {
      .name = fmt::format("clinical-clipping-{}", target.name),
      .title = fmt::format("AUC and active people by clip bound, at epsilon {}", target.name),
      .paper =
          "A figure of the appendix \"Experiments with MIMIC-III\": macro AUC on test people and "
          "the number of people who still take part, by epoch, for clip bounds from half to "
          "five times the tuned one.",
      .here = fmt::format("{} {} Clip bounds are multiples of {:.6g}. {} {} {} {}{}",
                          people_text(setup), training_text(setup, runs[0]), kPaperClip,
                          best_here(setup, runs), runs_text(runs), kNoControl, kIntervals,
                          is_paper_noise ? ""
                                         : " Learning rate, weight decay and clip bound are those "
                                           "that the paper tuned at epsilon 2.75."),
      .claims = is_paper_noise ? paper_noise_claims(gains) : std::vector{other_noise_claim(gains)},
      .charts = {chart_over_epochs(setup, runs, "macro AUC on test people",
                                   [](const ClinicalEpoch& epoch) { return epoch.test_auc; }),
                 chart_over_epochs(
                     setup, runs, "active people",
                     [](const ClinicalEpoch& epoch) { return static_cast<double>(epoch.active); })},
      .data = clipping_table(setup, runs),
      .about_people = true};
}

}  // namespace ration::paper
