#include <fmt/format.h>

#include <array>
#include <vector>

#include "paper/clinical_claims.h"
#include "paper/clinical_figures.h"
#include "paper/clinical_numbers.h"
#include "paper/clinical_run.h"

namespace ration::paper {
namespace {

using report::BarChart;
using report::BarSeries;
using report::Chart;

std::vector<std::string> first_five(const std::vector<std::string>& labels) {
  return {labels.begin(), labels.begin() + kPaperGroups};
}

// What the groups are compared by.
struct Quantity {
  const char* name;
  const char* title;
  PerGroup GroupMeans::*means;
};
constexpr std::array<Quantity, 3> kQuantities = {
    {{"train_loss", "Mean loss in training", &GroupMeans::train_loss},
     {"test_loss", "Mean loss in test", &GroupMeans::test_loss},
     {"mean_epsilon", "Mean of individual ε", &GroupMeans::epsilon}}};

// When, in words, and how it comes from the two moments.
struct When {
  std::string name;
  double (*value)(double before, double after);
};
std::array<When, 3> whens(const ClinicalSettings& settings) {
  return {{{fmt::format("{} epochs", settings.budget_epochs), [](double b, double) { return b; }},
           {fmt::format("{} epochs", settings.epochs), [](double, double a) { return a; }},
           {"change", [](double b, double a) { return a - b; }}}};
}

Estimate group_estimate(const Resampled<GroupMoments>& run, const Quantity& quantity,
                        const When& when, std::size_t group) {
  return estimate(run, [&](const GroupMoments& one) {
    return when.value((one.before.*quantity.means)[group], (one.after.*quantity.means)[group]);
  });
}

BarSeries bars(const Resampled<GroupMoments>& run, const Quantity& quantity, const When& when,
               const std::string& name) {
  BarSeries series = {.name = name, .bars = {}};
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    const Estimate e = group_estimate(run, quantity, when, g);
    series.bars.push_back({.value = e.value, .low = e.low, .high = e.high});
  }
  return series;
}

std::vector<Chart> group_charts(const ClinicalSetup& setup, const Resampled<GroupMoments>& run) {
  const std::vector<std::string> categories = first_five(setup.groups.train.labels);
  const auto [before, after, change] = whens(setup.settings);
  std::vector<Chart> charts;
  for (const Quantity& quantity : kQuantities) {
    charts.emplace_back(
        BarChart{.frame = {.title = quantity.title,
                           .x = {.title = "group"},
                           .y = {.title = quantity.title, .from = 0}},
                 .categories = categories,
                 .series = {bars(run, quantity, before, "before filtering: " + before.name),
                            bars(run, quantity, after, "after filtering: " + after.name)}});
  }
  charts.emplace_back(
      BarChart{.frame = {.title = "Change of mean loss after the start of filtering",
                         .x = {.title = "group"},
                         .y = {.title = "change of mean loss"}},
               .categories = categories,
               .series = {bars(run, kQuantities[0], change, "training"),
                          bars(run, kQuantities[1], change, "test")}});
  return charts;
}

DataTable group_table(const ClinicalSetup& setup, std::span<const Resampled<GroupMoments>> runs) {
  DataTable table = {.columns = {"run", "group", "quantity", "when", "value", "low", "high"},
                     .rows = {}};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t g = 0; g < kPaperGroups; ++g) {
      for (const Quantity& quantity : kQuantities) {
        for (const When& when : whens(setup.settings)) {
          const Estimate e = group_estimate(runs[r], quantity, when, g);
          table.rows.push_back({static_cast<std::int64_t>(r + 1), setup.groups.train.labels[g],
                                quantity.name, when.name, e.value, e.low, e.high});
        }
      }
    }
  }
  return table;
}

}  // namespace

Figure groups_figure(const ClinicalSetup& setup, std::span<const ClinicalRun> runs) {
  std::vector<Resampled<GroupMoments>> moments;
  for (const ClinicalRun& run : runs) {
    moments.push_back(group_moments(run, setup.groups, setup.settings.resamples));
  }
  return {.name = "clinical-groups",
          .title = "Losses and epsilons of groups before and after filtering",
          .paper =
              "The figure of section \"Experiments with MIMIC-III\": losses in training and in "
              "test and mean epsilons of five groups, after 50 epochs, when people can first be "
              "left out, and after 100.",
          .here = fmt::format("{} {} Clip bound {:.6g}, the paper's. {} {} runs; pictures and the "
                              "numbers in words are of the first, data and verdicts of all. {} {}",
                              people_text(setup), training_text(setup, runs[0]),
                              static_cast<double>(runs[0].plan.step.clip), groups_text(setup),
                              runs.size(), kNoControl, kIntervals),
          .claims = group_claims(moments, setup.groups.train.labels),
          .corrections = {kLabelCorrection},
          .charts = group_charts(setup, moments[0]),
          .data = group_table(setup, moments),
          .about_people = true};
}

}  // namespace ration::paper
