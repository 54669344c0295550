// The figures of the tight filter, in very small versions.

#include "paper/tight_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ration/base/error.h"
#include "ration/compose/compose.h"

namespace ration::paper {
namespace {

double number(const Figure& figure, std::size_t row, const std::string& column) {
  const auto& columns = figure.data.columns;
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end()) throw Error("no column " + column);
  const auto& cell = figure.data.rows[row][static_cast<std::size_t>(found - columns.begin())];
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  return std::get<double>(cell);
}

const Figure& steps_figure() {
  static const Figure figure = tight_filter_steps_figure(
      {.settings = {{{.noise = 5, .rate = 0.1}, 300, 1e-5, 1.05, 1.05}}, .per_doubling = 1});
  return figure;
}

TEST(TightFilterSteps, AreThoseOfTightAccountingWhereNobodyChooses) {
  const Figure& figure = steps_figure();
  ASSERT_EQ(figure.data.rows.size(), 5u);  // 1, 2, 4, 8, 16
  EXPECT_EQ(number(figure, 0, "tight_accounting"), 300);
  for (std::size_t row = 0; row < 5; ++row) {
    const double ratio = number(figure, row, "ratio"), steps = number(figure, row, "tight");
    EXPECT_EQ(ratio, std::exp2(static_cast<double>(row)));
    EXPECT_LE(steps, number(figure, row, "tight_accounting"));
    EXPECT_GT(steps, number(figure, row, "rdp"));
    EXPECT_GT(steps, number(figure, row, "rdp_along_steps"));
    // One more than fits without a filter is too much.
    const auto epsilon = [&](double count) {
      return compose({entry({.noise = 5 * ratio, .rate = 0.1, .steps = count})}, 1e-5)
          .epsilon.upper;
    };
    const double most = number(figure, row, "tight_accounting");
    EXPECT_LE(epsilon(most), number(figure, row, "epsilon"));
    EXPECT_GT(epsilon(most + 1), number(figure, row, "epsilon"));
    EXPECT_LE(number(figure, row, "promised_epsilon"), number(figure, row, "epsilon"));
  }
}

TEST(TightFilterSteps, AreDrawnAsSharesAndJudgedByTheTable) {
  const Figure& figure = steps_figure();
  ASSERT_EQ(figure.charts.size(), 1u);
  const auto& chart = std::get<report::LineChart>(figure.charts[0]);
  ASSERT_EQ(chart.lines.size(), 4u);
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_EQ(chart.lines[0].y[row], 1);
    EXPECT_EQ(chart.lines[1].y[row],
              number(figure, row, "tight") / number(figure, row, "tight_accounting"));
  }
  ASSERT_EQ(figure.claims.size(), 2u);
  EXPECT_TRUE(figure.claims[0].held) << figure.claims[0].finding;
  EXPECT_TRUE(figure.claims[1].held) << figure.claims[1].finding;
  const auto& [what, cost, above, below, run] = figure.claims[1].evidence[0];
  EXPECT_EQ(cost.value,
            number(figure, 0, "promised_epsilon") / number(figure, 0, "tight_epsilon_of_admitted"));
  EXPECT_LT(cost.value, *below);
}

TEST(TightFilterSteps, ThatCostMoreThanTheLimitDoNotHold) {
  const Figure figure = tight_filter_steps_figure(
      {.settings = {{{.noise = 5, .rate = 0.1}, 300, 1e-5, 1.0001, 1.0001}}, .per_doubling = 1});
  EXPECT_TRUE(figure.claims[0].held);
  EXPECT_FALSE(figure.claims[1].held);
}

TEST(TightFilterAdversary, BreaksNaturalAccountingAndNotTheTightFilter) {
  const Figure figure =
      tight_filter_adversary_figure({.settings = {}, .game_steps = {3}, .paths = 200'000});
  ASSERT_EQ(figure.data.rows.size(), 2u);
  const double target = number(figure, 0, "target_delta");
  EXPECT_GT(number(figure, 0, "integrated"), 1.08 * target);
  EXPECT_GT(number(figure, 0, "lower"), target);
  EXPECT_LT(number(figure, 1, "integrated"), target);
  EXPECT_LT(number(figure, 1, "upper"), target);
  for (std::size_t row = 0; row < 2; ++row) {
    const double half = number(figure, row, "upper") - number(figure, row, "played");
    EXPECT_LT(std::abs(number(figure, row, "played") - number(figure, row, "integrated")),
              2.5 * half);
  }
  ASSERT_EQ(figure.claims.size(), 2u);
  for (const Claim& claim : figure.claims) EXPECT_TRUE(claim.held) << claim.finding;
  const auto& chart = std::get<report::BarChart>(figure.charts.at(0));
  ASSERT_EQ(chart.series.size(), 3u);
  EXPECT_EQ(chart.series[1].bars[0].value, number(figure, 0, "played") / target);
  EXPECT_LT(*chart.series[1].bars[0].low, chart.series[1].bars[0].value);
}

TEST(TightFilterFigures, TellHowFarTheyAre) {
  std::vector<double> told;
  const auto figures =
      tight_filter_figures({.settings = {{{.noise = 5, .rate = 0.1}, 100, 1e-5, 2, 2}},
                            .per_doubling = 1,
                            .game_steps = {3},
                            .paths = 1000},
                           [&](double done) { told.push_back(done); });
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 1);
  for (const Figure& each : figures) {
    EXPECT_FALSE(each.about_people);
    for (const auto& row : each.data.rows) EXPECT_EQ(row.size(), each.data.columns.size());
    for (const report::Chart& chart : each.charts) {
      EXPECT_FALSE(svg(chart).empty());
      EXPECT_FALSE(pdf(chart).empty());
    }
  }
}

TEST(TightFilterFigures, AreQuickWhereTheyAreSmall) {
  EXPECT_LT(2 * expected_time(TightFilterSettings::quick()),
            expected_time(TightFilterSettings::full()));
}

}  // namespace
}  // namespace ration::paper
