#include "paper/mnist_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "paper/figure.h"
#include "paper/gdp_vs_rdp.h"
#include "paper/mnist_claims.h"
#include "paper/mnist_run.h"
#include "paper/statistics.h"
#include "ration/base/bound.h"

namespace ration::paper {
namespace {

using report::BinRange;
using report::HistogramChart;
using report::Line;
using report::LineChart;

Line line_of(std::string name, std::span<const FittedPoint> points, auto value) {
  Line line = {.name = std::move(name), .x = {}, .y = {}};
  for (const FittedPoint& point : points) {
    line.x.push_back(point.epsilon);
    line.y.push_back(value(point));
  }
  return line;
}

LineChart curve_chart(std::string title, std::span<const FittedPoint> points) {
  LineChart chart = {.frame = {.title = std::move(title),
                               .x = {.title = "ε"},
                               .y = {.title = "δ", .logarithmic = true}},
                     .lines = {line_of("This person, by PLD", points,
                                       [](const FittedPoint& point) { return point.delta.upper; }),
                               line_of("Fitted μ-GDP (approximate)", points,
                                       [](const FittedPoint& point) { return point.fitted; })}};
  chart.lines.back().dashed = true;
  return chart;
}

// A method's values, as charts and tables call it.
struct Column {
  std::string title, name;
  const std::vector<Bound>* epsilon;
};
std::vector<Column> columns_of(const MnistEpsilons& found) {
  return {{"RDP, orders 2 to 32", "rdp_2_to_32", &found.renyi_short},
          {"PLD", "pld", &found.pld},
          {"RDP, real orders", "rdp", &found.renyi},
          {"Approximative accountant (approximate)", "approximate", &found.approximate},
          {"PLD, 256 geometric buckets", "pld_256", &found.fine}};
}

// Up to the largest of all.
BinRange bins_of_all(const std::vector<Column>& columns, double worst_case) {
  double most = worst_case;
  for (const Column& column : columns) {
    for (const Bound& epsilon : *column.epsilon) most = std::max(most, epsilon.upper);
  }
  return bins_up_to(most);
}

HistogramChart histogram_chart(std::string title, std::span<const Column> columns,
                               const BinRange& bins, double worst_case) {
  HistogramChart chart = {
      .frame = {.title = std::move(title), .x = {.title = "ε"}, .y = {.title = "people"}},
      .edges = edges_of(bins),
      .histograms = {},
      .markers = {{.name = "worst case", .x = worst_case}}};
  for (const Column& column : columns) {
    chart.histograms.push_back(epsilon_histogram(column.title, *column.epsilon, bins));
  }
  return chart;
}

DataTable table_of(const MnistRun& run, std::span<const Column> columns) {
  DataTable table = {.columns = {"person"}, .rows = {}};
  for (const Column& column : columns) {
    table.columns.push_back(column.name + "_lower");
    table.columns.push_back(column.name + "_upper");
  }
  for (std::size_t i = 0; i < run.people.size(); ++i) {
    std::vector<DataTable::Cell> row = {static_cast<std::int64_t>(run.people[i])};
    for (const Column& column : columns) {
      row.emplace_back((*column.epsilon)[i].lower);
      row.emplace_back((*column.epsilon)[i].upper);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Claim> claims_about(const MnistEpsilons& found) {
  const std::vector<double> pld = upper_ends_of(found.pld), renyi = upper_ends_of(found.renyi),
                            renyi_short = upper_ends_of(found.renyi_short),
                            approximate = upper_ends_of(found.approximate);
  return {pld_captures_small(pld, {.name = "RDP over orders 2 to 32",
                                   .epsilon = renyi_short,
                                   .floor = renyi_floor(short_orders(), found.delta)}),
          pld_captures_small(pld, {.name = "RDP over real orders", .epsilon = renyi}),
          approximation_is_upper_bound(approximate, found.rounded_up_plans),
          approximation_is_below_rdp(approximate, renyi)};
}

std::string buckets_in_words(const MnistEpsilons& found) {
  const auto [least, most] =
      std::minmax_element(found.fine.begin(), found.fine.end(),
                          [](const Bound& a, const Bound& b) { return a.upper < b.upper; });
  std::string words = fmt::format(
      " Noise ratios in 100 linear buckets as in the paper, which cannot show an epsilon below {} "
      "(PLD); in 256 geometric ones epsilons go from {} to {}. Histograms are of upper ends. PLD "
      "takes everybody's norms as fixed in advance; RDP holds for norms that follow from earlier "
      "steps as well. \"Real orders\" are those whose order - 1 is 16 to the octave from "
      "2^-13 to 2^16. Values by PLD are certified (shared contour lines), where the paper takes "
      "FFTs on a grid. Points with a delta below 1e-12 are left out of the fits of the "
      "approximative accountant.",
      rounded_down(found.floor, 4), epsilon_text(least->upper), epsilon_text(most->upper));
  if (found.wide > 0) words += fmt::format(" The ends of {} people are wide.", found.wide);
  return words;
}

Figure figure_of_chosen(const MnistRun& run, const std::string& here) {
  const std::vector<FittedPoint> curve = curve_of_chosen(run);
  const auto beyond = std::find_if(curve.begin(), curve.end(), [](const FittedPoint& point) {
    return point.epsilon > kFittedOnOne.to * (1 + 1e-12);
  });
  const std::span fitted(curve.begin(), beyond);
  Figure figure = {
      .name = "mnist-one-person",
      .title = "One person's privacy after training, and a Gaussian curve fitted to it",
      .paper =
          "Figure 1, left: delta(epsilon) of a person chosen at random after 50 epochs, and "
          "the mu-GDP upper bound fitted to it on epsilon from 0.01 to 0.8.",
      .here = here +
              " Noise ratios in 50 linear buckets; the curve is that of exact noise, to which "
              "computed noise adds less than 1e-9 in epsilon. It is certified by contour "
              "integrals, where the paper takes an FFT on a grid. The fit is to 30 values of "
              "epsilon, without those at which delta is below 1e-12.",
      .claims = {fitted_curve_is_close(curve, kFittedOnOne)},
      .corrections =
          {"Taken for all real epsilons, as the paper's condition reads, no useful mu exists for "
           "sampled steps: it would be at least sqrt(sum 1/sigma^2), without any gain from "
           "sampling. mu is fitted on a bounded range, and the result is approximate."},
      .charts = {curve_chart("On the range of the fit", fitted),
                 curve_chart("Beyond the range of the fit", curve)},
      .data = {.columns = {"epsilon", "delta_lower", "delta_upper", "fitted"}, .rows = {}},
      .about_people = true};
  auto& [frame, lines, markers] = std::get<LineChart>(figure.charts[1]);
  frame.y.from = 1e-20;  // further down the certified ends are far apart
  markers.push_back({.name = "end of the range", .x = kFittedOnOne.to});
  for (const FittedPoint& point : curve) {
    figure.data.rows.push_back({point.epsilon, point.delta.lower, point.delta.upper, point.fitted});
  }
  return figure;
}

Figure figure_of_everybody(const MnistRun& run, Delta delta, const std::string& here) {
  const MnistEpsilons found = epsilons_of(run, delta);
  const std::vector<Column> columns = columns_of(found);
  const BinRange bins = bins_of_all(columns, found.worst_case.upper);
  const std::span all(columns);
  return {.name = fmt::format("mnist-epsilons-delta-{:.0e}", double{delta}),
          .title = fmt::format("Individual epsilons at delta {:.0e}, by accountant", double{delta}),
          .paper =
              "Figure 1, right: histograms of the epsilons of 1000 people drawn at random, "
              "after 50 epochs, by RDP and by PLD. The caption says delta = 1e-6; the "
              "published scripts take 1e-5. Here are both.",
          .here = here + buckets_in_words(found),
          .claims = claims_about(found),
          .corrections =
              {fmt::format("The paper's RDP takes orders 2 to 32 only. By themselves they cannot "
                           "give an epsilon below {} at this delta, whatever a person has spent; "
                           "RDP over real orders is shown beside it.",
                           rounded_down(renyi_floor(short_orders(), delta), 4)),
               "The paper's product over the grid of noise ratios leaves out its first one, the "
               "least noise; here it counts like the others."},
          .charts = {histogram_chart("As in the paper", all.first(2), bins, found.worst_case.upper),
                     histogram_chart("With real orders, and the approximative accountant",
                                     all.subspan(1, 3), bins, found.worst_case.upper)},
          .data = table_of(run, columns),
          .about_people = true};
}

constexpr double kTraining = 0.9;  // share of the time

std::string network_in_words(const MnistSettings& settings) {
  if (settings.hidden.empty()) return "a linear model";
  return fmt::format("a network with hidden layers of {} (ReLU)",
                     fmt::join(settings.hidden, " and "));
}

// Data, settings and sizes.
std::string run_in_words(const Dataset& data, const MnistSettings& settings, const MnistRun& run) {
  std::string words = fmt::format(
      "{}: {} people to train on, {}, plain SGD at a learning rate of {}. DP-SGD with Poisson "
      "samples at rate {}, {} steps, noise {} and clip bound {}. {} people drawn at random are "
      "followed: their norms are computed at every step, and they pay at every step, drawn or not.",
      data.description, data.train.count(), network_in_words(settings), settings.learning_rate,
      double{settings.step.rate}, run.plan.steps(), double{settings.step.noise},
      double{settings.step.clip}, settings.followed);
  if (run.accuracy) words += fmt::format(" Test accuracy {:.1f}%.", 100 * *run.accuracy);
  if (settings.test_seed) words += " A test run with a known seed: nothing in it is private.";
  return words;
}

}  // namespace

MnistSettings MnistSettings::full() { return {.followed = 1000, .hidden = {128}}; }
MnistSettings MnistSettings::quick() { return {.followed = 500, .hidden = {32}}; }

std::vector<Figure> mnist_figures(const Dataset& data, const MnistSettings& settings,
                                  const OnFraction& on_fraction) {
  const auto report = [&](double fraction) {
    if (on_fraction) on_fraction(fraction);
  };
  const MnistRun run = run_mnist(data, settings, [&](double done) { report(kTraining * done); });
  const std::string here = run_in_words(data, settings, run);
  std::vector<Figure> figures;
  figures.push_back(figure_of_chosen(run, here));
  for (const double delta : {1e-6, 1e-5}) {
    report(kTraining + (1 - kTraining) * static_cast<double>(figures.size()) / 3);
    figures.push_back(figure_of_everybody(run, delta, here));
  }
  report(1);
  return figures;
}

// From measured times of one core. Steps of a few hundred people are not worth many cores, and the
// accounts are mostly one person's curve, which is worked out on one.
std::chrono::seconds expected_time(const MnistSettings& settings) {
  const auto steps = static_cast<double>(mnist_plan(settings, 1e-6).steps());
  const auto followed = static_cast<double>(settings.followed);
  const double width = std::accumulate(settings.hidden.begin(), settings.hidden.end(), 10.0);
  const double step = 1e-3 + 2.4e-5 * width, following_one = 3.5e-8 * width, accounts = 12;
  const double cores = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  const double work = steps * (step + following_one * followed);
  return std::chrono::seconds(std::llround(work / cores + accounts));
}

}  // namespace ration::paper
