#include "paper/clinical_experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ration/dataset/cohort.h"
#include "ration/train/training_plan.h"
#include "tests/refusal.h"

namespace ration::paper {
namespace {

// The digits of facts that the paper's authors worked with: 50 epochs at the clip bound are worth
// epsilon 2.751021 at noise 10.6147, and need noise 49.7225 for 0.5 and 3.53475 for 10.
TEST(ClinicalSettings, NoiseMakesBudgetsOfFiftyEpochs) {
  const ClinicalSettings settings;
  const auto budget = [&](std::size_t target) {
    return promise_of(clinical_plan(settings, kClinicalTargets[target], 1), 100).epsilon.upper;
  };
  EXPECT_NEAR(budget(0), 2.751021, 1e-6);
  EXPECT_NEAR(clinical_plan(settings, kClinicalTargets[1], 1).step.noise, 49.7225, 5e-5);
  EXPECT_NEAR(clinical_plan(settings, kClinicalTargets[2], 1).step.noise, 3.53475, 5e-6);
  for (const std::size_t target : {1U, 2U}) {
    EXPECT_LE(budget(target), kClinicalTargets[target].epsilon);
    EXPECT_GE(budget(target), kClinicalTargets[target].epsilon - 1e-7);
  }
}

TEST(ClinicalSettings, NobodyCanBeLeftOutBeforeEpoch51) {
  for (const ClinicalTarget& target : kClinicalTargets) {
    for (const double multiple : kClipMultiples) {
      EXPECT_EQ(first_filtered_step(clinical_plan({}, target, multiple)), 50U);
    }
  }
}

TEST(ClinicalSettings, BudgetsAreOfSomeEpochsAndNotOfAll) {
  EXPECT_EQ(refusal([] { check(ClinicalSettings{.epochs = 5, .budget_epochs = 5}); }),
            "epochs in a budget is 5: give a whole number from 1 and below the number of epochs");
  EXPECT_EQ(refusal([] { check(ClinicalSettings{.train_group = 0}); }),
            "people in a group is 0: give a whole number from 1");
  EXPECT_EQ(refusal([] { check(ClinicalSettings::quick()); }), "accepted");
}

TEST(ClinicalSettings, RunsAreRepeatedWhereClaimsNeedThem) {
  const ClinicalSettings settings = {.repeats = 5, .clip_repeats = 2};
  EXPECT_EQ(settings.runs_of(kClinicalTargets[0], 1), 6U);
  EXPECT_EQ(settings.runs_of(kClinicalTargets[0], 5), 3U);
  EXPECT_EQ(settings.runs_of(kClinicalTargets[1], 1), 3U);
  EXPECT_EQ(settings.runs_of(kClinicalTargets[2], 3), 1U);
  EXPECT_EQ(settings.runs(), 15U + 5 + 5 * 2);
}

TEST(ClinicalSettings, TheSmallVersionIsExpectedToTakeAFractionOfTheTime) {
  EXPECT_LT(4 * expected_time(ClinicalSettings::quick()), expected_time(ClinicalSettings::full()));
  EXPECT_GT(expected_time(ClinicalSettings::quick()).count(), 0);
}

constexpr std::size_t kPeople = 300;
constexpr ClinicalSettings kTiny = {.hidden = 4,
                                    .epochs = 6,
                                    .budget_epochs = 3,
                                    .train_group = 15,
                                    .test_group = 5,
                                    .repeats = 1,
                                    .clip_repeats = 1,
                                    .resamples = 50,
                                    .test_seed = 1};

const Dataset& tiny_cohort() {
  static const Dataset data = synthetic_cohort({.train = kPeople, .test = 150}, 1);
  return data;
}
const std::vector<Figure>& tiny_figures() {
  static const std::vector<Figure> figures = clinical_figures(tiny_cohort(), kTiny);
  return figures;
}

double number(const Figure& figure, std::size_t row, const std::string& column) {
  const auto& columns = figure.data.columns;
  const auto found = std::find(columns.begin(), columns.end(), column);
  EXPECT_NE(found, columns.end()) << column;
  const auto& cell = figure.data.rows[row][static_cast<std::size_t>(found - columns.begin())];
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  return std::get<double>(cell);
}

TEST(ClinicalFigures, AreSixEachWithDataChartsAndClaims) {
  std::vector<std::string> names;
  for (const Figure& figure : tiny_figures()) {
    names.push_back(figure.name);
    EXPECT_FALSE(figure.claims.empty());
    EXPECT_FALSE(figure.charts.empty());
    EXPECT_TRUE(figure.about_people);
    EXPECT_NE(figure.here.find("synthetic clinical cohort, seed 1: 300 people"), std::string::npos);
    EXPECT_NE(figure.here.find("not private"), std::string::npos);  // for its seed
    for (const auto& row : figure.data.rows) {
      EXPECT_EQ(row.size(), figure.data.columns.size());
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"clinical-groups", "clinical-clipping-2.75",
                                             "clinical-clipping-0.5", "clinical-clipping-10",
                                             "clinical-histograms-1x", "clinical-histograms-5x"}));
}

TEST(ClinicalFigures, EverybodyIsActiveUntilTheBudgetAllowsLess) {
  for (std::size_t f = 1; f <= 3; ++f) {
    const Figure& figure = tiny_figures()[f];
    ASSERT_EQ(figure.data.rows.size(), 7U * 6);  // 1x and 5x twice
    bool somebody_left_out = false;
    for (std::size_t row = 0; row < figure.data.rows.size(); ++row) {
      const double active = number(figure, row, "active");
      if (number(figure, row, "epoch") <= 3) {
        EXPECT_EQ(active, kPeople);
      } else {
        EXPECT_LE(active, kPeople);
        somebody_left_out |= active < kPeople;
      }
    }
    EXPECT_TRUE(somebody_left_out) << figure.name;
  }
}

TEST(ClinicalFigures, NoEpsilonIsAboveTheBudget) {
  const double budget = promise_of(clinical_plan(kTiny, kClinicalTargets[0], 1), 6).epsilon.upper;
  for (const std::size_t f : {4U, 5U}) {
    const Figure& figure = tiny_figures()[f];
    ASSERT_EQ(figure.data.rows.size(), 5U * 15);
    for (std::size_t row = 0; row < figure.data.rows.size(); ++row) {
      EXPECT_GT(number(figure, row, "epsilon"), 0);
      EXPECT_LE(number(figure, row, "epsilon"), budget);
    }
    for (const report::Chart& each : figure.charts) {
      const auto& chart = std::get<report::HistogramChart>(each);
      EXPECT_NEAR(chart.edges.back(), budget, 1e-12);
      const report::Histogram& histogram = chart.histograms[0];
      for (std::size_t bin = 0; bin < histogram.heights.size(); ++bin) {
        const auto count =
            std::count_if(figure.data.rows.begin(), figure.data.rows.end(), [&](const auto& row) {
              const double epsilon = std::get<double>(row[2]);
              return std::get<std::string>(row[0]) == histogram.name &&
                     epsilon > chart.edges[bin] && epsilon <= chart.edges[bin + 1];
            });
        EXPECT_EQ(histogram.heights[bin], static_cast<double>(count)) << histogram.name << bin;
      }
    }
  }
}

// Bars, histograms and curves tell of the same run.
TEST(ClinicalFigures, MeanEpsilonsAreMeansOfThePeopleInTheHistograms) {
  const Figure& groups = tiny_figures()[0];
  const Figure& clipping = tiny_figures()[1];
  std::map<std::string, double> sums;
  for (const auto& row : tiny_figures()[4].data.rows) {
    sums[std::get<std::string>(row[0])] += std::get<double>(row[2]) / 15;
  }
  ASSERT_EQ(sums.size(), 5U);
  const auto& bars = std::get<report::BarChart>(groups.charts[2]);
  for (std::size_t g = 0; g < 5; ++g) {
    const std::string& group = bars.categories[g];
    const report::Bar& bar = bars.series[0].bars[g];
    EXPECT_NEAR(bar.value, sums[group], 1e-12) << group;
    EXPECT_LE(*bar.low, bar.value);
    EXPECT_GE(*bar.high, bar.value);
    // The paper's clip bound is the second; epoch 3 is its third row.
    EXPECT_NEAR(number(clipping, 6 + 2, "mean_epsilon:" + group), bar.value, 1e-12);
    EXPECT_NEAR(number(clipping, 6 + 2, "train_loss:" + group),
                std::get<report::BarChart>(groups.charts[0]).series[0].bars[g].value, 1e-7);
    EXPECT_NEAR(number(clipping, 6 + 5, "test_loss:" + group),
                std::get<report::BarChart>(groups.charts[1]).series[1].bars[g].value, 1e-7);
  }
}

TEST(ClinicalFigures, TableOfGroupsHasEveryRunAndTheChangesAddUp) {
  const Figure& figure = tiny_figures()[0];
  ASSERT_EQ(figure.data.rows.size(), 2U * 5 * 3 * 3);
  for (std::size_t row = 0; row < figure.data.rows.size(); row += 3) {
    EXPECT_DOUBLE_EQ(number(figure, row + 1, "value") - number(figure, row, "value"),
                     number(figure, row + 2, "value"));
  }
  EXPECT_NE(number(figure, 0, "value"), number(figure, 45, "value"));  // noise was fresh
  EXPECT_NE(figure.claims[0].finding.find("of 2 runs"), std::string::npos);
}

TEST(ClinicalFigures, ProgressGrowsFromEpochToEpochUpToOne) {
  std::vector<double> told;
  ClinicalSettings settings = kTiny;
  settings.repeats = settings.clip_repeats = 0;
  const auto again =
      clinical_figures(tiny_cohort(), settings, [&](double done) { told.push_back(done); });
  ASSERT_EQ(told.size(), 15U * 6);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 1);
  // The same seed, the same first run.
  for (std::size_t row = 0; row < 6; ++row) {
    EXPECT_EQ(again[1].data.rows[row], tiny_figures()[1].data.rows[row]);
  }
}

TEST(ClinicalFigures, VerdictsFollowFromTheEvidenceAndTheNumbersFromTheTables) {
  for (const Figure& figure : tiny_figures()) {
    for (const Claim& claim : figure.claims) {
      EXPECT_FALSE(claim.evidence.empty());
      EXPECT_EQ(claim.held, is_held(tally(claim.evidence))) << claim.statement;
    }
  }
  // The runs with 5 times the clip bound are the last two of the table; epochs 3 and 6 of them.
  const Figure& clipping = tiny_figures()[1];
  const auto& gains = clipping.claims[1].evidence;
  ASSERT_EQ(gains.size(), 2U);
  for (std::size_t run = 0; run < 2; ++run) {
    const std::size_t first = (5 + run) * 6;
    EXPECT_EQ(number(clipping, first, "clip_multiple"), 5);
    EXPECT_EQ(number(clipping, first, "run"), static_cast<double>(run + 1));
    EXPECT_NEAR(gains[run].number.value,
                number(clipping, first + 5, "test_macro_auc") -
                    number(clipping, first + 2, "test_macro_auc"),
                1e-12);
  }
  EXPECT_NE(clipping.here.find("macro AUC at epoch 3 is largest with"), std::string::npos);
  EXPECT_NE(tiny_figures()[2].here.find("tuned at epsilon 2.75"), std::string::npos);
}

TEST(ClinicalFigures, SmallGroupsAreNamed) {
  ClinicalSettings settings = kTiny;
  settings.epochs = 2;
  settings.budget_epochs = 1;
  settings.repeats = settings.clip_repeats = 0;
  settings.test_group = 12;
  const auto figures = clinical_figures(tiny_cohort(), settings);
  EXPECT_NE(figures[0].here.find("people for 'no label at all' in test"), std::string::npos)
      << figures[0].here;
}

TEST(ClinicalFigures, RefuseOtherLabelsAndNobodyToTestWith) {
  Dataset data = {.train = tiny_cohort().train};
  EXPECT_EQ(refusal([&] { clinical_figures(data, kTiny); }),
            "test people is none: give data with people to test with");
  data.test = data.train;
  for (People* people : {&data.train, &data.test}) {
    people->labels = {.kind = LabelKind::many,
                      .names = {"a", "b"},
                      .values = std::vector<std::uint16_t>(2 * kPeople)};
  }
  EXPECT_EQ(refusal([&] { clinical_figures(data, kTiny); }),
            "number of labels is 2: give 25, the phenotypes of the MIMIC-III benchmark in its "
            "order, each of them 0 or 1");
}

}  // namespace
}  // namespace ration::paper
