#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ration/report/clinical_claims.h"
#include "ration/report/clinical_figures.h"
#include "ration/report/clinical_numbers.h"
#include "ration/report/clinical_texts.h"

namespace ration {
namespace {

constexpr std::size_t kBins = 40;  // from 0 to the budget

std::vector<double> edges_of(const ClinicalRun& run) {
  std::vector<double> edges;
  for (std::size_t i = 0; i <= kBins; ++i) {
    edges.push_back(run.budget * static_cast<double>(i) / kBins);
  }
  return edges;
}

Histogram histogram_of(const ClinicalRun& run, const std::string& name,
                       const std::vector<std::uint32_t>& members) {
  Histogram histogram = {.name = name, .heights = std::vector<double>(kBins)};
  for (const std::uint32_t person : members) {
    const double place = run.before.epsilons[person] / run.budget * kBins;
    ++histogram.heights[std::min(static_cast<std::size_t>(place), kBins - 1)];
  }
  return histogram;
}

// One for each group, all of the same height.
std::vector<Chart> histogram_charts(const ClinicalSetup& setup, const ClinicalRun& run) {
  const GroupMembers members = members_of(setup.groups.train);
  Axis people = {.title = "people", .from = 0, .to = 0};
  std::vector<Histogram> histograms;
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    histograms.push_back(histogram_of(run, setup.groups.train.labels[g], members[g]));
    const std::vector<double>& heights = histograms.back().heights;
    people.to = std::max(*people.to, *std::max_element(heights.begin(), heights.end()));
  }
  const Axis epsilon = {.title = "individual epsilon"};
  std::vector<Chart> charts;
  for (const Histogram& histogram : histograms) {
    charts.emplace_back(
        HistogramChart{.frame = {.title = histogram.name, .x = epsilon, .y = people},
                       .edges = edges_of(run),
                       .histograms = {histogram},
                       .markers = {{.name = "budget", .x = run.budget}}});
  }
  return charts;
}

DataTable histogram_table(const ClinicalSetup& setup, const ClinicalRun& run) {
  DataTable table = {.columns = {"group", "person", "epsilon"}, .rows = {}};
  const GroupMembers members = members_of(setup.groups.train);
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    for (const std::uint32_t person : members[g]) {
      table.rows.push_back(
          {setup.groups.train.labels[g], std::int64_t{person}, run.before.epsilons[person]});
    }
  }
  return table;
}

}  // namespace

Figure histograms_figure(const ClinicalSetup& setup, const ClinicalRun& run) {
  const bool is_best = run.clip_multiple == kClipMultiples[kBestMultiple];
  const std::string clip = is_best ? "the best clip bound"
                                   : fmt::format("{} times the best clip bound", run.clip_multiple);
  const std::size_t resamples = setup.settings.resamples;
  return {
      .name = fmt::format("clinical-histograms-{}x", run.clip_multiple),
      .title = fmt::format("Individual epsilons of groups at {}", clip),
      .paper = fmt::format("A figure of the appendix \"Experiments with MIMIC-III\": histograms of "
                           "individual epsilons of the five groups after 50 epochs, with {}.",
                           clip),
      .here = fmt::format("{} {} Clip bound {:.6g}. {} {}", people_text(setup),
                          training_text(setup, run), static_cast<double>(run.plan.step.clip),
                          groups_text(setup), kIntervals),
      .claims = {is_best ? near_budget_claim(run, resamples)
                         : far_from_budget_claim(run, resamples)},
      .corrections = {kLabelCorrection},
      .charts = histogram_charts(setup, run),
      .data = histogram_table(setup, run),
      .about_people = true};
}

}  // namespace ration
