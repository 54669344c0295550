#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "paper/gdp_vs_rdp.h"
#include "ration/base/bound.h"

namespace ration::paper {
namespace {

using report::BarChart;
using report::Line;
using report::LineChart;

using gdp_vs_rdp::Which;

// The largest k at an eps, under each accountant.
using LargestK = std::array<double, 3>;
LargestK largest_k(double epsilon) {
  LargestK all{};
  for (const Which which : gdp_vs_rdp::kAll) {
    all[which] = gdp_vs_rdp::largest_steps(epsilon, which);
  }
  return all;
}

constexpr double kGdpSteps = 495;

// Whole numbers: nothing but themselves lies less than 1 away.
std::vector<Evidence> fit_exactly(const LargestK& k) {
  const auto number = [](const char* what, double found, double wanted) {
    return Evidence{.what = what, .number = known(found), .above = wanted - 1, .below = wanted + 1};
  };
  return {number("steps that fit under GDP", k[Which::gdp], kGdpSteps),
          number("steps that fit under RDP", k[Which::rdp], gdp_vs_rdp::kPaperSteps)};
}

Claim as_printed() {
  const LargestK k = largest_k(0.8);
  return judged(
      "At eps = 0.8 and delta = 1e-5, 495 steps fit under GDP and 420 under RDP.",
      fmt::format("{} steps fit under GDP and {} under RDP.", k[Which::gdp], k[Which::rdp]),
      fit_exactly(k));
}

Claim as_meant() {
  const double epsilon = gdp_vs_rdp::epsilon_of(gdp_vs_rdp::kPaperSteps, Which::rdp);
  const LargestK k = largest_k(epsilon);
  return judged(
      "At the eps of 420 steps under RDP, which the paper rounds to 0.8, 495 steps fit under GDP.",
      fmt::format("That eps is {}; {} steps fit under GDP and {} under RDP.",
                  rounded_up(epsilon, 7), k[Which::gdp], k[Which::rdp]),
      fit_exactly(k));
}

Claim more_steps(const std::vector<double>& epsilons, const std::vector<LargestK>& all) {
  double least = std::numeric_limits<double>::infinity();
  for (const LargestK& k : all) least = std::min(least, k[Which::gdp] - k[Which::rdp]);
  const LargestK &first = all.front(), &last = all.back();
  return judged(
      "More steps fit under GDP than under RDP at every eps.",
      fmt::format(
          "It is {} against {} at eps = {}, and {} against {} at eps = {}; {} values of eps "
          "were looked at.",
          first[Which::gdp], first[Which::rdp], epsilons.front(), last[Which::gdp],
          last[Which::rdp], epsilons.back(), epsilons.size()),
      {{.what = "least number of steps more under GDP", .number = known(least), .above = 0}});
}

// Where the short list costs steps, in words.
std::string short_orders_cost() {
  std::string text;
  for (const double epsilon : {0.1, 0.2, 0.3, 5.0}) {
    const LargestK k = largest_k(epsilon);
    text += fmt::format("{}{} instead of {} at eps = {}", text.empty() ? "" : ", ",
                        k[Which::rdp_short], k[Which::rdp], epsilon);
  }
  return text;
}

// What lies beyond the axes is left out, so that the description tells of what is seen.
LineChart curve_chart(const std::vector<double>& epsilons, const std::vector<LargestK>& all) {
  constexpr double kMost = 600, kLastEpsilon = 1.0;
  LineChart chart{.frame = {.title = "How many steps fit, with σ = 100 and δ = 10⁻⁵",
                            .x = {.title = "ε", .from = 0.1, .to = kLastEpsilon},
                            .y = {.title = "largest k", .from = 0, .to = kMost}},
                  .lines = {},
                  .markers = {{.name = "0.8, as printed", .x = 0.8}}};
  for (const Which which : gdp_vs_rdp::kAll) {
    Line line{.name = gdp_vs_rdp::accountant(which).name, .x = {}, .y = {}};
    line.dashed = which == Which::rdp_short;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (epsilons[i] > kLastEpsilon || all[i][which] > kMost) continue;
      line.x.push_back(epsilons[i]);
      line.y.push_back(all[i][which]);
    }
    chart.lines.push_back(line);
  }
  return chart;
}

BarChart table_chart(const std::vector<double>& epsilons) {
  BarChart chart{.frame = {.title = "The same for a wider range of ε",
                           .x = {.title = "ε"},
                           .y = {.title = "largest k", .logarithmic = true, .from = 1.0}},
                 .categories = {},
                 .series = {}};
  for (const Which which : gdp_vs_rdp::kAll) {
    chart.series.push_back({.name = gdp_vs_rdp::accountant(which).name, .bars = {}});
  }
  for (const double epsilon : epsilons) {
    chart.categories.push_back(fmt::format("{:.1f}", epsilon));
    const LargestK k = largest_k(epsilon);
    for (const Which which : gdp_vs_rdp::kAll) {
      chart.series[which].bars.push_back({.value = k[which]});
    }
  }
  return chart;
}

}  // namespace

Figure largest_k_figure() {
  std::vector<double> epsilons = gdp_vs_rdp::hundredths(10, 100);
  epsilons.insert(epsilons.end(), {2.0, 5.0});
  std::vector<LargestK> all;
  DataTable data{.columns = gdp_vs_rdp::columns(), .rows = {}};
  for (const double epsilon : epsilons) {
    const LargestK k = all.emplace_back(largest_k(epsilon));
    data.rows.push_back({epsilon, static_cast<std::int64_t>(k[0]), static_cast<std::int64_t>(k[1]),
                         static_cast<std::int64_t>(k[2])});
  }
  return {
      .name = "gdp-vs-rdp-largest-k",
      .title = "GDP against RDP: how many steps fit into a budget",
      .paper =
          "The largest number of steps for each eps at delta = 1e-5 with sigma = 100, up to "
          "600 (section \"Further Comparisons of RDP and GDP\", second figure); in the text, "
          "495 steps under GDP instead of 420 under RDP at eps = 0.8.",
      .here =
          "The largest k whose certified eps does not exceed the budget, exactly, at eps from "
          "0.1 to 1.0 in steps of 0.01 and at 2 and 5.",
      .claims = {as_printed(), as_meant(), more_steps(epsilons, all)},
      .corrections = {"The 0.8 of the paper is a rounded 0.8156: that is the eps of 420 steps "
                      "under RDP, and there 495 steps fit under GDP. At eps = 0.8 itself fewer "
                      "fit under either.",
                      fmt::format("{} That costs steps where the best order lies above 32 or "
                                  "between two whole ones: the largest k is then {}.",
                                  gdp_vs_rdp::kShortOrders, short_orders_cost())},
      .charts = {curve_chart(epsilons, all), table_chart({0.1, 0.2, 0.3, 0.5, 0.8, 1.0, 2.0, 5.0})},
      .data = data,
      .about_people = false};
}

}  // namespace ration::paper
