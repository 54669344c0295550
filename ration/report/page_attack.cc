#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "ration/base/bound.h"
#include "ration/numeric/directed.h"
#include "ration/report/html_text.h"
#include "ration/report/page_sections.h"

namespace ration::report {
namespace {

// What is computed at a number is shown beside that number: one that is short to read.
double short_number(double x) { return std::stod(fmt::format("{:.3g}", x)); }

// In percent, closer where the curve bends: near 0, and where two lines of a pair meet.
std::set<double> false_positives(const Attacked& what) {
  std::set<double> all = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
  for (int i = 1; i <= 10; ++i) all.insert(i);
  for (int i = 5; i <= 40; ++i) all.insert(2.5 * i);
  const double bend = short_number(100 * (1 - what.delta) / (1 + std::exp(what.epsilon)));
  if (bend > 0.01 && bend < 100) all.insert(bend);
  return all;
}

double true_positives(const Attacked& what, double percent) {
  if (percent >= 100) return 100;
  // At 0 there is a bound for every rate above it, however small.
  const double rate = std::max(1e-300, div_up(percent, 100));
  return std::min(100.0, mul_up(100, most_true_positives(what, rate)));
}

// Which curve it is, for those who would compute it themselves: "the line, which …".
std::string origin(const Attacked& what) {
  if (const auto mu = gaussian_parameter(what)) {
    return fmt::format("is the curve of Gaussian differential privacy with μ {}",
                       rounded_up(*mu, 4));
  }
  return fmt::format(
      "follows from the promise of ε {} and δ {} alone; the steps themselves may allow less",
      rounded_up(what.epsilon, 4), double{what.delta});
}

std::string trade_off(PageInput& page, const Attacked& what) {
  Line best = {
      .name = gaussian_parameter(what) ? "best attack, by Gaussian DP" : "best attack, by ε and δ",
      .x = {},
      .y = {},
      .colour = kEverybodysColour};
  Line guessing = {.name = "guessing", .x = {}, .y = {}, .dashed = true, .colour = kPromisesColour};
  for (const double percent : false_positives(what)) {
    best.x.push_back(percent);
    best.y.push_back(true_positives(what, percent));
    guessing.x.push_back(percent);
    guessing.y.push_back(percent);
  }
  const LineChart chart = {.frame = {.title = "Trade-off of the best attack (ROC)",
                                     .x = {.title = "false positives, %", .from = 0, .to = 100},
                                     .y = {.title = "true positives, %", .from = 0, .to = 100}},
                           .lines = {std::move(best), std::move(guessing)}};
  return page.figures.add(
      chart, {.id = "chart-trade-off",
              .description = fmt::format("No attack lies above the line, which {}.", origin(what)),
              .values = FigureText::Values::bounds,
              .zoom = FigureText::Zoom::both});
}

// Below this there is nothing to be seen between 0 and the promise.
constexpr double kLeastDrawn = 1e-6, kMostDrawn = 200;

std::string deltas(PageInput& page, const Attacked& what) {
  if (what.epsilon < kLeastDrawn || what.epsilon > kMostDrawn) return {};
  constexpr int kPoints = 40;
  const bool gaussian = gaussian_parameter(what).has_value();
  const double to = what.epsilon * (gaussian ? 1.6 : 1.25);
  Line line = {.name = "δ", .x = {}, .y = {}, .colour = kEverybodysColour};
  for (int i = 0; i <= kPoints; ++i) {
    const double epsilon = short_number(to * i / kPoints);
    line.x.push_back(epsilon);
    line.y.push_back(most_delta(what, epsilon));
  }
  const LineChart chart = {
      .frame = {.title = "δ over ε",
                .x = {.title = "ε", .from = 0, .to = short_number(to)},
                .y = {.title = "δ", .logarithmic = true}},
      .lines = {std::move(line)},
      .markers = {{fmt::format("promise {}", shown_epsilon(what.epsilon)), what.epsilon}}};
  return page.figures.add(
      chart, {.id = "chart-deltas",
              .description = fmt::format(
                  "At every ε the guarantee holds with the δ on the line, which {}.", origin(what)),
              .values = FigureText::Values::bounds});
}

}  // namespace

std::string attack_section(PageInput& page) {
  const Results& results = page.results;
  if (!page.promise() || !results.delta) return {};
  const Attacked what = attacked(results);
  const auto positives = [&](double false_positives) {
    return percent_up(most_true_positives(what, false_positives));
  };
  const HtmlTable table = {
      .caption = "What the best attack can reach, as upper bounds",
      .columns = {"Number", "At most", "In words"},
      .rows = {
          {"Advantage", percent_up(most_advantage(what)),
           "How much more often an attacker recognises those whose data were used than wrongly "
           "names those whose data were not. 0 % is guessing, 100 % is certainty."},
          {"True positives at 1\u00a0% false positives", positives(0.01),
           "An attacker who wrongly names 1 in 100 of those whose data were not used recognises no "
           "more than this share of those whose were."},
          {"True positives at 0.1\u00a0% false positives", positives(0.001),
           "The same for an attacker who is more careful: 1 in 1000 is named wrongly."}}};
  std::string text = fmt::format(
      "<p>An attacker sees {}, knows everybody else's data, and has to say whether one person's "
      "were used. The numbers follow from {} and hold for every attack and every person.</p>\n{}",
      is_run(results) ? "the trained model" : "all that was released",
      results.gaussian
          ? "the trade-off curve of Gaussian differential privacy, which this guarantee is,"
          : "epsilon and delta",
      html(table));
  text += "<div class=\"figures\">\n";
  text += trade_off(page, what);
  text += deltas(page, what);
  return text + "</div>\n";
}

}  // namespace ration::report
