#include "ration/report/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "ration/report/scale.h"
#include "ration/report/sheet.h"
#include "tests/refusal.h"

namespace ration::report {
namespace {

using drawing::Scale;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

std::vector<double> tick_values(const Scale& scale) {
  std::vector<double> values;
  for (const auto& tick : scale.ticks()) values.push_back(tick.value);
  return values;
}
std::vector<std::string> tick_labels(const Scale& scale) {
  std::vector<std::string> labels;
  for (const auto& tick : scale.ticks()) labels.push_back(tick.label);
  return labels;
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i) {
    found.push_back((*i)[1]);
  }
  return found;
}
double number_in(const std::string& text, const std::string& pattern) {
  const auto found = matches(text, pattern);
  EXPECT_FALSE(found.empty()) << pattern;
  return found.empty() ? kNoNumber : std::stod(found.front());
}

// Every tag is closed by its own name, in order.
bool well_formed(const std::string& text) {
  static const std::regex kTag(R"re(<(/?)([a-zA-Z]+)((?:\s+[a-zA-Z:-]+="[^"<]*")*)\s*(/?)>)re");
  std::vector<std::string> open;
  std::size_t tags = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), kTag), end; i != end; ++i) {
    ++tags;
    if ((*i)[4].length() > 0) continue;
    if ((*i)[1].length() == 0) {
      open.push_back((*i)[2]);
    } else {
      if (open.empty() || open.back() != (*i)[2]) return false;
      open.pop_back();
    }
  }
  const auto brackets = static_cast<std::size_t>(std::count(text.begin(), text.end(), '<'));
  return open.empty() && tags == brackets;
}

LineChart lines() {
  return {.frame = {.title = "Curves",
                    .x = {.title = "epsilon"},
                    .y = {.title = "delta", .logarithmic = true}},
          .lines = {{.name = "GDP", .x = {0.1, 0.5, 0.9}, .y = {1e-2, 1e-4, 1e-6}},
                    {.name = "RDP", .x = {0.1, 0.5, 0.9}, .y = {2e-2, 1e-3, 1e-5}, .dashed = true}},
          .markers = {{.name = "the paper's", .x = 0.8}}};
}
HistogramChart histograms() {
  return {.frame = {.title = "People", .x = {.title = "epsilon"}, .y = {.title = "people"}},
          .edges = {0, 1, 2, 3},
          .histograms = {{.name = "pld", .heights = {5, 0, 10}}}};
}
BarChart bars() {
  return {
      .frame = {.title = "Groups", .x = {.title = "group"}, .y = {.title = "loss"}},
      .categories = {"first", "second"},
      .series = {{.name = "before", .bars = {{.value = 1, .low = 0.5, .high = 2}, {.value = 2}}},
                 {.name = "after", .bars = {{.value = -1}, {.value = kNoNumber}}}}};
}

PointChart points() {
  return {.frame = {.title = "Groups", .x = {.title = "ε"}, .y = {.title = "loss"}},
          .what = "group",
          .points = {{"one", 1, 0.5, 1}, {"two", 2, 0.25, 2}, {"no loss", 3, kNoNumber, 3}}};
}

TEST(Chart, NamesOfMarkersStandWhereFewerLinesRun) {
  LineChart chart = lines();
  chart.frame.y = {.title = "AUC", .from = 0, .to = 1};
  const auto place_of_name = [&](double value) {
    for (Line& line : chart.lines) line.y = {0.5, value, value};
    return number_in(svg(chart), R"re(class="halo end" x="[0-9.]+" y="([0-9.]+)")re");
  };
  EXPECT_GT(place_of_name(0.95), place_of_name(0.05) + 100);
}

TEST(Chart, TicksAreMultiplesOfOneTwoOrFive) {
  const std::vector<double> small = {0.1, 0.9};
  const Scale tenths({.title = ""}, small, {0, 100});
  EXPECT_EQ(tick_labels(tenths), (std::vector<std::string>{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6",
                                                           "0.7", "0.8", "0.9"}));
  EXPECT_NEAR(tenths.values().from, 0.1, 1e-15);
  const std::vector<double> large = {3, 12571};
  EXPECT_EQ(tick_labels(Scale({.title = ""}, large, {0, 1})),
            (std::vector<std::string>{"0", "2,000", "4,000", "6,000", "8,000", "10,000", "12,000",
                                      "14,000"}));
  for (const double unit : {1e-9, 1e-3, 1.0, 7.0, 1e6}) {
    const std::vector<double> values = {-1.3 * unit, 4.1 * unit};
    const auto ticks = tick_values(Scale({.title = ""}, values, {0, 1}));
    ASSERT_GE(ticks.size(), 4u);
    ASSERT_LE(ticks.size(), 11u);
    EXPECT_LE(ticks.front(), values[0]);
    EXPECT_GE(ticks.back(), values[1]);
    const double step = ticks[1] - ticks[0];
    const double digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    EXPECT_LT(std::min({std::abs(digit - 1), std::abs(digit - 2), std::abs(digit - 5)}), 1e-6);
  }
}

TEST(Chart, ALogarithmicAxisHasPowersOfTen) {
  const std::vector<double> deltas = {3e-6, 0.04, 0, -1, kNoNumber};
  const Scale scale({.title = "", .logarithmic = true}, deltas, {500, 0});
  EXPECT_EQ(tick_labels(scale),
            (std::vector<std::string>{"10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹"}));
  EXPECT_NEAR(scale.place(1e-6), 500, 1e-9);
  EXPECT_NEAR(scale.place(1e-1), 0, 1e-9);
  EXPECT_NEAR(scale.place(1e-4), 300, 1e-9);
  EXPECT_FALSE(scale.can_show(0));
}

TEST(Chart, TheAxisIsWhatWasAskedFor) {
  const std::vector<double> values = {1, 1000};
  const Scale scale({.title = "", .from = 0, .to = 600}, values, {0, 6});
  EXPECT_EQ(scale.values().to, 600);
  EXPECT_NEAR(scale.place(500), 5, 1e-12);
  EXPECT_EQ(tick_labels(scale).back(), "600");
}

TEST(Chart, OneValueOrNoneIsStillAChart) {
  for (const std::vector<double>& values : {std::vector<double>{}, {0.0}, {-3.0}, {1e-9}}) {
    for (const bool logarithmic : {false, true}) {
      const Scale scale({.title = "", .logarithmic = logarithmic}, values, {0, 1});
      EXPECT_LT(scale.values().from, scale.values().to);
      EXPECT_FALSE(scale.ticks().empty());
    }
  }
  EXPECT_TRUE(well_formed(svg(LineChart{})));
  EXPECT_TRUE(well_formed(svg(HistogramChart{})));
  EXPECT_TRUE(well_formed(svg(BarChart{})));
  EXPECT_TRUE(well_formed(svg(PointChart{})));
}

TEST(Chart, NumbersAreWrittenForPeople) {
  using drawing::number_text;
  EXPECT_EQ(number_text(12571), "12,571");
  EXPECT_EQ(number_text(-1234567), "-1,234,567");
  EXPECT_EQ(number_text(100), "100");
  EXPECT_EQ(number_text(0.8156), "0.8156");
  EXPECT_EQ(number_text(2e-7), "2×10⁻⁷");
  EXPECT_EQ(number_text(1e12), "10¹²");
  EXPECT_EQ(number_text(kNoNumber), "no number");
  EXPECT_EQ(number_text(0), "0");
}

TEST(Chart, StandsByItselfAndSaysInWordsWhatItShows) {
  for (const Chart& chart : {Chart(lines()), Chart(histograms()), Chart(bars()), Chart(points())}) {
    const std::string text = svg(chart);
    EXPECT_TRUE(well_formed(text));
    for (const char* part : {"role=\"img\"", "<title id=", "<desc id=", "viewBox=\"0 0 720 ",
                             "prefers-color-scheme:dark", "xmlns=\"http://www.w3.org/2000/svg\""}) {
      EXPECT_NE(text.find(part), std::string::npos) << part;
    }
    // Nothing is fetched from anywhere.
    EXPECT_EQ(matches(text, "(http[^\"]*)").size(), 1u);
  }
  EXPECT_NE(svg(lines()).find("GDP: from 0.01 at 0.1 to 10⁻⁶ at 0.9."), std::string::npos);
  EXPECT_NE(svg(histograms()).find("pld: highest from 2 to 3, with 10."), std::string::npos);
  EXPECT_NE(svg(bars()).find("before: first: 1 (0.5 to 2); second: 2."), std::string::npos);
  EXPECT_NE(svg(points()).find("one: 0.5 at 1. two: 0.25 at 2."), std::string::npos);
}

TEST(Chart, NamesDoNotBecomeMarkup) {
  LineChart chart = lines();
  chart.frame.title = chart.frame.x.title = chart.frame.y.title = "<b>&\"'\x01";
  chart.lines[0].name = chart.markers[0].name = "</svg><script>";
  BarChart other = bars();
  other.categories[0] = other.series[0].name = "<i>";
  for (const std::string& text : {svg(chart), svg(other)}) {
    EXPECT_TRUE(well_formed(text));
    for (const char* tag : {"<b>", "<script>", "<i>", "\x01"}) {
      EXPECT_EQ(text.find(tag), std::string::npos) << tag;
    }
  }
  EXPECT_NE(svg(chart).find("&lt;b&gt;&amp;&quot;&#39; "), std::string::npos);
}

TEST(Chart, SeveralChartsInOnePageShareNoNames) {
  LineChart other = lines();
  other.lines[0].y[1] = 2e-4;
  std::set<std::string> names;
  std::size_t count = 0;
  for (const Chart& chart : {Chart(lines()), Chart(other), Chart(histograms()), Chart(bars())}) {
    for (const std::string& id : matches(svg(chart), " id=\"([^\"]*)\"")) {
      names.insert(id);
      ++count;
    }
  }
  EXPECT_EQ(count, 12u);
  EXPECT_EQ(names.size(), count);
  EXPECT_EQ(svg(lines()), svg(lines()));
}

TEST(Chart, WhatCannotBeShownLeavesAGap) {
  const auto pieces = [](double value) {
    LineChart chart = lines();
    chart.lines = {{.name = "a", .x = {1, 2, 3, 4, 5}, .y = {1, 10, value, 10, 1}}};
    chart.markers = {};
    const auto paths = matches(svg(chart), "class=\"line\" d=\"(M[^\"]*L[^\"]*)\"");
    EXPECT_EQ(paths.size(), 1u);
    return std::count(paths.at(0).begin(), paths.at(0).end(), 'M');
  };
  EXPECT_EQ(pieces(5), 1);
  EXPECT_EQ(pieces(0), 2);
  EXPECT_EQ(pieces(kNoNumber), 2);
}

TEST(Chart, BarsStandAtZeroAndAreAsHighAsTheirValues) {
  const std::string text = svg(bars());
  // What is wider than a sample of the legend.
  const auto heights = matches(text, "class=\"bar\"[^>]*width=\"5[0-9.]+\" height=\"([0-9.]+)\"");
  ASSERT_EQ(heights.size(), 3u);  // the fourth has no number
  EXPECT_NEAR(std::stod(heights[1]) / std::stod(heights[0]), 2, 0.01);
  EXPECT_NEAR(std::stod(heights[2]) / std::stod(heights[0]), 1, 0.01);
  EXPECT_EQ(matches(text, "(<path class=\"whisker\")").size(), 1u);
}

TEST(Chart, HistogramsAreAsHighAsTheirCounts) {
  const std::string path = matches(svg(histograms()), "class=\"area\" d=\"([^\"]*)\"").at(0);
  const double foot = number_in(path, "^M[0-9.]+ ([0-9.]+)");
  const double first = number_in(path, "^M[0-9.]+ [0-9.]+V([0-9.]+)");
  const double last = number_in(path, "M[0-9.]+ [0-9.]+V([0-9.]+)H[0-9.]+V[0-9.]+$");
  EXPECT_NEAR((foot - last) / (foot - first), 2, 0.01);
}

TEST(Chart, RefusesListsOfUnlikeLengths) {
  LineChart line = lines();
  line.lines[1].y.pop_back();
  EXPECT_EQ(refusal([&] { svg(line); }), "line 'RDP' is of 3 x and 2 y: give as many x as y");
  HistogramChart histogram = histograms();
  histogram.edges.pop_back();
  EXPECT_EQ(
      refusal([&] { svg(histogram); }),
      "histogram 'pld' is of 3 heights for 3 edges: give one height less than there are edges");
  histogram.edges = {0, 1, 1, 2};
  EXPECT_EQ(refusal([&] { svg(histogram); }),
            "edges of a histogram is not in order: give edges that rise");
  BarChart bar = bars();
  bar.series[0].bars.pop_back();
  EXPECT_EQ(refusal([&] { svg(bar); }),
            "series 'before' is of 1 bars for 2 categories: give one bar for each category");
  line = lines();
  line.frame.y.from = 0;
  EXPECT_NE(refusal([&] { svg(line); }).find("range of the axis 'delta' is 0 to"),
            std::string::npos);
}

TEST(Chart, BarsCanHaveTheColoursOfTheirCategories) {
  BarChart chart = bars();
  chart.colours = {4, 2};
  const auto colours = matches(svg(chart), "<g class=\"(colour[0-9])\"><title>");
  EXPECT_EQ(colours, (std::vector<std::string>{"colour4", "colour2", "colour4"}));
  // Series then differ by how strong a colour is, in the legend too.
  EXPECT_EQ(matches(svg(chart), "(class=\"bar faint\")").size(), 2u);
  EXPECT_EQ(matches(svg(bars()), "(class=\"bar faint\")").size(), 0u);
  chart.colours.pop_back();
  EXPECT_EQ(refusal([&] { svg(chart); }),
            "list of colours is of 1 for 2 categories: give one for each category, or none");
}

TEST(Chart, PointsAreDrawnWhereTheyAreAndNamed) {
  const std::string text = svg(points());
  EXPECT_EQ(matches(text, "(<circle class=\"dot\")").size(), 2u);  // the third has no loss
  EXPECT_EQ(matches(text, "class=\"halo\"[^>]*>([a-z ]+)<"),
            (std::vector<std::string>{"one", "two"}));
}

TEST(Chart, NamesOfPointsDoNotLieOnEachOther) {
  PointChart chart = points();
  chart.points.clear();
  // Three columns that are wide enough apart, of rows that are not.
  for (int i = 0; i < 60; ++i) {
    chart.points.push_back({"a name of some length", 1.0 + i % 3, 0.5 + 0.1 * (i / 3), 1});
  }
  const std::string text = svg(chart);
  const auto x = matches(text, "class=\"halo\" x=\"([0-9.]+)\"");
  const auto y = matches(text, "class=\"halo\" x=\"[0-9.]+\" y=\"([0-9.]+)\"");
  ASSERT_EQ(x.size(), y.size());
  EXPECT_GE(x.size(), 20u);
  EXPECT_LT(x.size(), 60u);
  const double width = drawing::text_width("a name of some length", drawing::kTextSize);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart = std::abs(std::stod(x[i]) - std::stod(x[j])) >= width - 0.2 ||
                         std::abs(std::stod(y[i]) - std::stod(y[j])) >= 17.8;
      EXPECT_TRUE(apart) << i << " and " << j;
    }
  }
}

TEST(Chart, LabelsOfAnAxisDoNotTouch) {
  LineChart chart = lines();
  chart.frame.x = {.title = "people", .from = 1e6, .to = 9e6};
  chart.lines = {{.name = "a", .x = {1e6, 9e6}, .y = {1, 2}}};
  chart.markers = {};
  const std::string text = svg(chart);
  const std::string label = "<text class=\"number middle\" x=\"";
  const auto x = matches(text, label + "([0-9.]+)\"");
  const auto names = matches(text, label + "[0-9.]+\" y=\"[0-9.]+\">([^<]*)<");
  ASSERT_EQ(x.size(), names.size());
  ASSERT_GE(names.size(), 3u);
  for (std::size_t i = 1; i < names.size(); ++i) {
    const auto half = [&](std::size_t n) {
      return drawing::text_width(names[n], drawing::kTextSize) / 2;
    };
    EXPECT_GT(std::stod(x[i]) - half(i), std::stod(x[i - 1]) + half(i - 1)) << names[i];
  }
  // A word that has no room is cut off.
  const auto cut = drawing::lines_of("cardiopulmonary", 60, drawing::kTextSize);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_LE(drawing::text_width(cut[0], drawing::kTextSize), 60);
  EXPECT_TRUE(cut[0].ends_with("…"));
}

// The table at the end of a PDF file says at which byte each object begins.
TEST(ChartAsPdf, IsAFileWhoseTableIsRight) {
  for (const Chart& chart :
       {Chart(lines()), Chart(histograms()), Chart(bars()), Chart(points()), Chart(LineChart{})}) {
    const std::string text = pdf(chart);
    EXPECT_TRUE(text.starts_with("%PDF-1.4\n"));
    EXPECT_TRUE(text.ends_with("%%EOF\n"));
    const auto table = static_cast<std::size_t>(number_in(text, "startxref\n([0-9]+)\n"));
    ASSERT_EQ(text.substr(table, 5), "xref\n");
    const auto starts = matches(text.substr(table), "([0-9]{10}) 00000 n \n");
    ASSERT_EQ(starts.size(), 8u);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::string object = std::to_string(i + 1) + " 0 obj\n";
      EXPECT_EQ(text.substr(std::stoul(starts[i]), object.size()), object);
    }
    const auto length = static_cast<std::size_t>(number_in(text, "/Length ([0-9]+) "));
    const std::size_t stream = text.find("stream\n") + 7;
    EXPECT_EQ(text.substr(stream + length, 9), "endstream");
    EXPECT_EQ(pdf(chart), text);
    // What is saved is restored.
    EXPECT_EQ(matches(text, "\n(q)(?=\n)").size(), matches(text, "\n(Q)(?=\n)").size());
  }
}

TEST(ChartAsPdf, WritesGreekInSymbolAndExponentsRaised) {
  LineChart chart = lines();
  chart.frame.x.title = "ε and δ";
  const std::string text = pdf(chart);
  // Codes of the Symbol font: epsilon is e, delta is d.
  EXPECT_NE(text.find("/Symbol 14.00 Tf 0.00 Ts <65> Tj\n/Plain 14.00 Tf 0.00 Ts <20616e6420> Tj\n"
                      "/Symbol 14.00 Tf 0.00 Ts <64> Tj"),
            std::string::npos);
  // 10⁻⁶: "10" on the line, minus and 6 above it.
  EXPECT_NE(text.find("<3130> Tj\n/Symbol 9.52 Tf 5.04 Ts <2d> Tj\n/Plain 9.52 Tf 5.04 Ts <36> Tj"),
            std::string::npos);
  chart.frame.x.title = "日";
  EXPECT_NE(pdf(chart).find("/Plain 14.00 Tf 0.00 Ts <3f> Tj"), std::string::npos);
}

TEST(ChartAsPdf, HasTheSameLinesAndDashesAsTheSvg) {
  const std::string text = pdf(lines());
  // Twice each: in the legend and in the plot.
  EXPECT_EQ(matches(text, "(0.000 0.447 0.698 RG 2.4 w 1 J 1 j\\s*\n)").size(), 2u);
  EXPECT_EQ(matches(text, "(0.835 0.369 0.000 RG 2.4 w 1 J 1 j \\[7 6\\] 0 d\n)").size(), 2u);
  const std::string picture = svg(lines());
  const auto height = number_in(picture, "viewBox=\"0 0 720 ([0-9]+)\"");
  EXPECT_NEAR(number_in(text, "/MediaBox \\[0 0 720 ([0-9.]+)\\]"), height, 0.5);
}

TEST(ChartAsPdf, NamesCannotBecomeOperators) {
  LineChart chart = lines();
  chart.frame.title = chart.lines[0].name = ") Tj ET Q endstream endobj (";
  const std::string text = pdf(chart);
  EXPECT_EQ(text.find(") Tj"), std::string::npos);
  EXPECT_EQ(matches(text, "(endstream)").size(), 1u);
}

}  // namespace
}  // namespace ration::report
