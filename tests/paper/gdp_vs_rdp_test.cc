// The closed-form experiment. Reference numbers: mpmath in 40 digits.

#include "paper/gdp_vs_rdp.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <string>

#include "ration/loss/gdp.h"

namespace ration::paper {
namespace {

using gdp_vs_rdp::epsilon_of;
using gdp_vs_rdp::Which;

const std::vector<Figure>& figures() {
  static const std::vector<Figure> kFigures = gdp_vs_rdp_figures();
  return kFigures;
}
const Figure& figure(const std::string& name) {
  for (const Figure& each : figures()) {
    if (each.name == name) return each;
  }
  throw Error("no figure " + name);
}
double number(const DataTable::Cell& cell) {
  return std::holds_alternative<double>(cell) ? std::get<double>(cell)
                                              : static_cast<double>(std::get<std::int64_t>(cell));
}

TEST(GdpVsRdp, TheTableOfLargestKIsExact) {
  const std::map<double, std::array<std::int64_t, 3>> expected = {
      {0.1, {10, 8, 0}},         {0.2, {37, 31, 0}},          {0.3, {79, 66, 45}},
      {0.5, {202, 170, 170}},    {0.8, {478, 405, 405}},      {1.0, {718, 611, 611}},
      {2.0, {2515, 2165, 2163}}, {5.0, {12571, 11019, 10989}}};
  std::size_t found = 0;
  for (const auto& row : figure("gdp-vs-rdp-largest-k").data.rows) {
    const auto wanted = expected.find(std::get<double>(row[0]));
    if (wanted == expected.end()) continue;
    ++found;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(std::get<std::int64_t>(row[i + 1]), wanted->second[i]) << wanted->first;
    }
  }
  EXPECT_EQ(found, expected.size());
  const auto& bars = std::get<report::BarChart>(figure("gdp-vs-rdp-largest-k").charts.at(1));
  std::size_t category = 0;
  for (const auto& [epsilon, steps] : expected) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(bars.series[i].bars[category].value, static_cast<double>(steps[i])) << epsilon;
    }
    ++category;
  }
}

// Never below the truth, and above it by no more than the bound is wide.
TEST(GdpVsRdp, EpsIsTheReferenceAndNotBelowIt) {
  struct Reference {
    double steps;
    Which which;
    double epsilon, width;
  };
  for (const auto& [steps, which, epsilon, width] :
       {Reference{420, Which::gdp, 0.745138235521165705, 1e-14},
        Reference{495, Which::gdp, 0.815230292353162309, 1e-14},
        Reference{496, Which::gdp, 0.816131514081247049, 1e-14},
        Reference{420, Which::rdp, 0.815623422364375078, 5e-10},
        Reference{420, Which::rdp_short, 0.815629987192908268, 1e-12}}) {
    EXPECT_GE(epsilon_of(steps, which), epsilon) << steps;
    EXPECT_LE(epsilon_of(steps, which), epsilon + width) << steps;
  }
}

// Canonne's conversion of alpha/(2 sigma^2) k at one order.
double plain_rdp(double steps, double epsilon, double order) {
  const double divergence = order * steps / (2 * 100.0 * 100.0);
  return std::exp((order - 1) * (divergence - epsilon)) / order *
         std::pow(1 - 1 / order, order - 1);
}

// gdp::delta encloses delta(eps) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2), mu^2 = k /
// sigma^2 (Gdp.DeltaEnclosesArb): nothing is below its lower end.
TEST(GdpVsRdp, NoDeltaIsBelowTheTruth) {
  for (const auto& row : figure("gdp-vs-rdp-steps").data.rows) {
    const double steps = number(row[0]), epsilon = number(row[1]), gdp = number(row[2]);
    const double least = std::sqrt(steps) / 100 * (1 - 0x1p-51);  // rounded twice
    const Bound certified = gdp::delta({.epsilon = epsilon, .mu = least});
    EXPECT_GE(gdp, certified.lower) << steps << " " << epsilon;
    EXPECT_LE(gdp, certified.upper * (1 + 1e-11)) << steps << " " << epsilon;
  }
}

// No order of the same conversion gives less, by more than these plain formulas are rounded: 2^-50
// for each of a few operations, magnified by an exponent of at most 300.
TEST(GdpVsRdp, NoRenyiDeltaIsBelowTheBestOrder) {
  constexpr double kRounding = 1e-12;
  for (const auto& row : figure("gdp-vs-rdp-steps").data.rows) {
    const double steps = number(row[0]), epsilon = number(row[1]);
    const double rdp = number(row[3]), rdp_short = number(row[4]);
    double whole = 1;
    for (int order = 2; order <= 32; ++order) {
      whole = std::min(whole, plain_rdp(steps, epsilon, order));
    }
    EXPECT_GE(rdp_short, whole * (1 - kRounding));
    EXPECT_LE(rdp_short, whole * (1 + kRounding));
    double best = whole;
    for (double order = 1.01; order < 300; order *= 1.001) {
      best = std::min(best, plain_rdp(steps, epsilon, order));
    }
    EXPECT_LE(rdp, best * (1 + kRounding));
    EXPECT_GE(rdp, best * (1 - 1e-4));  // the orders above are a thousandth apart
    EXPECT_LE(number(row[2]), rdp);     // a tight delta is below every bound of it
  }
}

TEST(GdpVsRdp, NoStepTooManyAndNoneTooFew) {
  // An eps that is just met is not exceeded, and one that is just missed is.
  EXPECT_EQ(gdp_vs_rdp::largest_steps(0.81524, Which::gdp), 495);
  EXPECT_EQ(gdp_vs_rdp::largest_steps(0.81522, Which::gdp), 494);
  EXPECT_EQ(gdp_vs_rdp::largest_steps(0.81562, Which::rdp), 419);
  EXPECT_EQ(gdp_vs_rdp::largest_steps(0.81563, Which::rdp), 420);
}

TEST(GdpVsRdp, TheClaimAsPrintedDoesNotHoldAndAsMeantItDoes) {
  const Figure& steps = figure("gdp-vs-rdp-largest-k");
  ASSERT_EQ(steps.claims.size(), 3u);
  EXPECT_FALSE(steps.claims[0].held);
  EXPECT_EQ(steps.claims[0].finding, "478 steps fit under GDP and 405 under RDP.");
  EXPECT_TRUE(steps.claims[1].held);
  EXPECT_EQ(steps.claims[1].finding,
            "That eps is 0.8156235; 495 steps fit under GDP and 420 under RDP.");
  EXPECT_TRUE(steps.claims[2].held);
  ASSERT_EQ(steps.corrections.size(), 2u);
  EXPECT_NE(steps.corrections[0].find("0.8156"), std::string::npos);
  EXPECT_NE(steps.corrections[1].find("0 instead of 8 at eps = 0.1"), std::string::npos);
}

TEST(GdpVsRdp, EpsIsRoughlyTenPercentSmaller) {
  const Claim& claim = figure("gdp-vs-rdp-delta").claims.at(1);
  // 1 - 0.745138235521 / 0.815623422 = 0.0864
  EXPECT_EQ(claim.finding, "It is 0.745139 under GDP and 0.815624 under RDP, 8.6 percent less.");
  EXPECT_TRUE(claim.held);
}

TEST(GdpVsRdp, DrawsWhatThePaperDraws) {
  ASSERT_EQ(figures().size(), 3u);
  const auto& first = std::get<report::LineChart>(figure("gdp-vs-rdp-delta").charts.at(0));
  EXPECT_EQ(first.lines.size(), 3u);
  EXPECT_EQ(first.lines[0].x.front(), 0.1);
  EXPECT_EQ(first.lines[0].x.back(), 0.9);
  const auto& second = std::get<report::LineChart>(figure("gdp-vs-rdp-steps").charts.at(0));
  EXPECT_EQ(second.lines.size(), 6u);
  EXPECT_EQ(second.lines[0].x.back(), 1.1);
  // What is drawn is what the axes show, and so is what is told to who cannot see it.
  const auto& third = std::get<report::LineChart>(figure("gdp-vs-rdp-largest-k").charts.at(0));
  for (const report::Line& line : third.lines) {
    EXPECT_LE(line.x.back(), 1.0);
    EXPECT_LE(line.y.back(), 600);
    EXPECT_GE(line.y.back(), 580);
  }
  EXPECT_EQ(svg(third).find("12,571"), std::string::npos);
  EXPECT_EQ(svg(third).find("at 5"), std::string::npos);
  for (const Figure& each : figures()) EXPECT_FALSE(each.about_people);
}

TEST(GdpVsRdp, PicturesWriteGreekLetters) {
  for (const Figure& each : figures()) {
    for (const report::Chart& chart : each.charts) {
      const std::string picture = svg(chart);
      EXPECT_NE(picture.find("ε"), std::string::npos) << each.name;
      const std::regex latin("\\b(eps|epsilon|delta|sigma)\\b");
      EXPECT_FALSE(std::regex_search(picture, latin)) << each.name;
    }
  }
}

}  // namespace
}  // namespace ration::paper
