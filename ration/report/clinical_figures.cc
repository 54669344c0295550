#include "ration/report/clinical_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "ration/report/clinical_claims.h"
#include "ration/report/clinical_numbers.h"

namespace ration {
namespace {

constexpr const char* kIntervals =
    "Intervals hold 95% of what other people of the same kind would give (bootstrap over the "
    "people "
    "of one run); runs with fresh noise say what noise and starting point do.";

constexpr const char* kLabelCorrection =
    "In the benchmark's alphabetical list, counted from 0, acute myocardial infarction is label 2, "
    "cardiac dysrhythmias 3 and pneumonia 21. The paper's 9413 heart attack cases are as many as "
    "have label 3; here the groups of myocardial infarction go by label 2.";

// "a, b and fewer: ..." where a group is smaller than it was to be.
std::string small_groups(const Groups& groups, std::size_t wanted, const char* where) {
  const GroupMembers members = members_of(groups);
  std::string text;
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    if (members[g].size() == wanted) continue;
    text += fmt::format(" Only {} people are there for '{}' in {}.", members[g].size(),
                        groups.labels[g], where);
  }
  return text;
}

std::string people_text(const ClinicalSetup& setup) {
  return fmt::format("{}: {} people in training, {} in test.{}", setup.data.description,
                     setup.data.train.count(), setup.data.test.count(),
                     setup.settings.test_seed ? " Noise is from a test seed: not private." : "");
}

std::string groups_text(const ClinicalSetup& setup) {
  const ClinicalSettings& settings = setup.settings;
  return fmt::format("Groups of {} in training and {} in test, drawn by a public seed.{}{}",
                     settings.train_group, settings.test_group,
                     small_groups(setup.groups.train, settings.train_group, "training"),
                     small_groups(setup.groups.test, settings.test_group, "test"));
}

std::string training_text(const ClinicalSetup& setup, const ClinicalRun& run) {
  const Architecture architecture = clinical_architecture(setup);
  return fmt::format(
      "Network {}-{}-{}, Adam, full batch, {} epochs, noise {:.6g}. Everybody's budget is what {} "
      "epochs cost at the clip bound: epsilon {:.6g} at delta {}.",
      architecture.inputs, architecture.hidden[0], architecture.outputs, run.plan.epochs,
      static_cast<double>(run.plan.step.noise), setup.settings.budget_epochs, run.budget,
      static_cast<double>(run.plan.delta));
}

Marker filtering_starts(const ClinicalSetup& setup) {
  return {.name = "people can be left out from here",
          .x = static_cast<double>(setup.settings.budget_epochs)};
}

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
     {"mean_epsilon", "Mean of individual epsilons", &GroupMeans::epsilon}}};

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
  charts.emplace_back(BarChart{.frame = {.title = "Change of mean loss through filtering",
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

constexpr std::size_t kBins = 40;

std::vector<Chart> histogram_charts(const ClinicalSetup& setup, const ClinicalRun& run) {
  std::vector<double> edges;
  for (std::size_t i = 0; i <= kBins; ++i) {
    edges.push_back(run.budget * static_cast<double>(i) / kBins);
  }
  const GroupMembers members = members_of(setup.groups.train);
  std::vector<std::vector<double>> heights(kPaperGroups, std::vector<double>(kBins));
  double highest = 0;
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    for (const std::uint32_t person : members[g]) {
      const double place = run.before.epsilons[person] / run.budget * kBins;
      ++heights[g][std::min(static_cast<std::size_t>(place), kBins - 1)];
    }
    highest = std::max(highest, *std::max_element(heights[g].begin(), heights[g].end()));
  }
  std::vector<Chart> charts;
  for (std::size_t g = 0; g < kPaperGroups; ++g) {
    const std::string& group = setup.groups.train.labels[g];
    charts.emplace_back(
        HistogramChart{.frame = {.title = group,
                                 .x = {.title = "individual epsilon"},
                                 .y = {.title = "people", .from = 0, .to = highest}},
                       .edges = edges,
                       .histograms = {{.name = group, .heights = heights[g]}},
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

Figure groups_figure(const ClinicalSetup& setup, std::span<const ClinicalRun> runs) {
  std::vector<Resampled<GroupMoments>> moments;
  for (const ClinicalRun& run : runs) {
    moments.push_back(group_moments(run, setup.groups, setup.settings.resamples));
  }
  return {
      .name = "clinical-groups",
      .title = "Losses and epsilons of groups before and after filtering",
      .paper =
          "The figure of section \"Experiments with MIMIC-III\": losses in training and in "
          "test and mean epsilons of five groups, after 50 epochs, when people can first be "
          "left out, and after 100.",
      .here = fmt::format("{} {} Clip bound {:.6g}. {} {} runs; pictures and numbers are of the "
                          "first. {}",
                          people_text(setup), training_text(setup, runs[0]),
                          static_cast<double>(runs[0].plan.step.clip), groups_text(setup),
                          runs.size(), kIntervals),
      .claims = group_claims(moments, setup.groups.train.labels),
      .corrections = {kLabelCorrection},
      .charts = group_charts(setup, moments[0]),
      .data = group_table(setup, moments),
      .about_people = true};
}

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

Figure histograms_figure(const ClinicalSetup& setup, const ClinicalRun& run) {
  const bool is_best = run.clip_multiple == kClipMultiples[kBestMultiple];
  const std::size_t resamples = setup.settings.resamples;
  return {
      .name = fmt::format("clinical-histograms-{}x", run.clip_multiple),
      .title = fmt::format("Individual epsilons of groups at {} the best clip bound",
                           is_best ? "" : fmt::format("{} times", run.clip_multiple)),
      .paper = fmt::format("A figure of the appendix \"Experiments with MIMIC-III\": histograms "
                           "of individual epsilons of the five groups after 50 epochs, with {} "
                           "clip bound.",
                           is_best ? "the best" : "5 times the best"),
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
