#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "paper/clinical_claims.h"
#include "paper/clinical_figures.h"
#include "paper/clinical_groups.h"
#include "paper/clinical_numbers.h"
#include "paper/clinical_run.h"
#include "paper/figure.h"

namespace ration::paper {
namespace {

using report::Axis;
using report::Chart;
using report::Histogram;
using report::HistogramChart;

// "the paper's clip bound", or how many times that.
std::string clip_text(double clip_multiple) {
  if (clip_multiple == kPaperMultiple) return "the paper's clip bound";
  return fmt::format("{} times the paper's clip bound", clip_multiple);
}

Histogram histogram_of(const ClinicalRun& run, const std::string& name,
                       const std::vector<std::uint32_t>& members) {
  std::vector<Bound> epsilons;
  epsilons.reserve(members.size());
  for (const std::uint32_t person : members) {
    epsilons.push_back(exactly(run.before.epsilons[person]));
  }
  return epsilon_histogram(name, epsilons, bins_up_to(run.budget));
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
  const Axis epsilon = {.title = "individual ε"};
  std::vector<Chart> charts;
  for (const Histogram& histogram : histograms) {
    charts.emplace_back(
        HistogramChart{.frame = {.title = histogram.name, .x = epsilon, .y = people},
                       .edges = edges_of(bins_up_to(run.budget)),
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

Figure histograms_figure(const ClinicalSetup& setup, std::span<const ClinicalRun> runs) {
  const ClinicalRun& run = runs.front();
  const std::string clip = clip_text(run.clip_multiple);
  return {
      .name = fmt::format("clinical-histograms-{}x", run.clip_multiple),
      .title = fmt::format("Individual epsilons of groups at {}", clip),
      .paper = fmt::format("A figure of the appendix \"Experiments with MIMIC-III\": histograms of "
                           "individual epsilons of the five groups after 50 epochs, with {}.",
                           clip),
      .here = fmt::format(
          "{} {} Clip bound {:.6g}. {} {} runs; pictures and data are of the first, "
          "verdicts of all. Shares are over all people in training, histograms over "
          "the groups. {}",
          people_text(setup), training_text(setup, run), static_cast<double>(run.plan.step.clip),
          groups_text(setup), runs.size(), kIntervals),
      .claims = {budget_share_claim(runs, setup.settings.resamples)},
      .corrections = {kLabelCorrection},
      .charts = histogram_charts(setup, run),
      .data = histogram_table(setup, run),
      .about_people = true};
}

}  // namespace ration::paper
