#include "paper/gdp_vs_rdp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "ration/base/bound.h"
#include "ration/compose/calibrate.h"

namespace ration::paper {
namespace gdp_vs_rdp {
namespace {

Plan plan_of(double steps) { return {entry({.noise = kNoise, .rate = 1.0, .steps = steps})}; }

}  // namespace

const Accountant& accountant(Which which) {
  static const std::array<Accountant, 3> kAccountants = {
      {{.name = "GDP", .column = "gdp", .how = {.method = Method::gdp}},
       {.name = "RDP, real orders", .column = "rdp", .how = {.method = Method::rdp}},
       {.name = "RDP, orders 2 to 32",
        .column = "rdp_orders_2_to_32",
        .how = {.method = Method::rdp, .orders = short_orders()}}}};
  return kAccountants[which];
}

double delta_of(double steps, double epsilon, Which which) {
  return delta_at(plan_of(steps), epsilon, accountant(which).how).delta.upper;
}

double epsilon_of(double steps, Which which) {
  return compose(plan_of(steps), kDelta, accountant(which).how).epsilon.upper;
}

double largest_steps(double epsilon, Which which) {
  return static_cast<double>(calibrate_steps({.epsilon = epsilon, .delta = kDelta},
                                             {.noise = kNoise, .rate = 1.0},
                                             accountant(which).how));
}

std::vector<double> hundredths(int from, int to) {
  std::vector<double> values;
  for (int i = from; i <= to; ++i) values.push_back(i / 100.0);
  return values;
}

std::vector<std::string> columns() {
  std::vector<std::string> names = {"epsilon"};
  for (const Which which : kAll) names.push_back(accountant(which).column);
  return names;
}

}  // namespace gdp_vs_rdp

namespace {

using gdp_vs_rdp::Which;
using report::Frame;
using report::LineChart;

// delta over eps after `steps` steps, under each accountant.
struct Curves {
  double steps;
  std::vector<double> epsilons;
  std::array<std::vector<double>, 3> deltas;
};

Curves curves(double steps, const std::vector<double>& epsilons) {
  Curves all{.steps = steps, .epsilons = epsilons, .deltas = {}};
  for (const Which which : gdp_vs_rdp::kAll) {
    for (const double epsilon : epsilons) {
      all.deltas[which].push_back(gdp_vs_rdp::delta_of(steps, epsilon, which));
    }
  }
  return all;
}

Frame frame(const std::string& title, const std::vector<double>& epsilons) {
  return {.title = title,
          .x = {.title = "ε", .from = epsilons.front(), .to = epsilons.back()},
          .y = {.title = "δ", .logarithmic = true}};
}

// What the short list of orders costs at the eps where it costs most.
std::string short_orders_cost(const Curves& of) {
  std::size_t at = 0;
  const auto factor = [&](std::size_t i) {
    return of.deltas[Which::rdp_short][i] / of.deltas[Which::rdp][i];
  };
  for (std::size_t i = 0; i < of.epsilons.size(); ++i) {
    if (factor(i) > factor(at)) at = i;
  }
  return fmt::format("{:.3f} at eps = {} after {} steps", factor(at), of.epsilons[at], of.steps);
}

Claim gdp_is_below(const Curves& of) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t i = 0; i < of.epsilons.size(); ++i) {
    const double factor = of.deltas[Which::rdp][i] / of.deltas[Which::gdp][i];
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
  return judged(
      fmt::format("After {} steps GDP gives a smaller delta than RDP at every eps from {} to {}.",
                  of.steps, of.epsilons.front(), of.epsilons.back()),
      fmt::format("The delta of RDP is {:.2f} to {:.2f} times that of GDP.", least, most),
      {{.what = "least factor from GDP's delta to RDP's", .number = known(least), .above = 1}});
}

Claim eps_is_smaller() {
  const double gdp = gdp_vs_rdp::epsilon_of(gdp_vs_rdp::kPaperSteps, Which::gdp);
  const double rdp = gdp_vs_rdp::epsilon_of(gdp_vs_rdp::kPaperSteps, Which::rdp);
  const double percent = 100 * (1 - gdp / rdp);
  return judged(
      "After 420 steps, at delta = 1e-5, the eps of GDP is roughly 10 percent smaller than that of "
      "RDP (7.5 to 12.5 percent count as roughly 10).",
      fmt::format("It is {} under GDP and {} under RDP, {:.1f} percent less.", rounded_up(gdp, 6),
                  rounded_up(rdp, 6), percent),
      {{.what = "percent by which GDP's eps is smaller",
        .number = known(percent),
        .above = 7.5,
        .below = 12.5}});
}

Figure delta_figure() {
  const Curves all = curves(gdp_vs_rdp::kPaperSteps, gdp_vs_rdp::hundredths(10, 90));
  LineChart chart{.frame = frame("δ after 420 steps with σ = 100", all.epsilons), .lines = {}};
  for (const Which which : gdp_vs_rdp::kAll) {
    chart.lines.push_back({.name = gdp_vs_rdp::accountant(which).name,
                           .x = all.epsilons,
                           .y = all.deltas[which],
                           .dashed = which == Which::rdp_short});
  }
  DataTable data{.columns = gdp_vs_rdp::columns(), .rows = {}};
  for (std::size_t i = 0; i < all.epsilons.size(); ++i) {
    data.rows.push_back({all.epsilons[i], all.deltas[0][i], all.deltas[1][i], all.deltas[2][i]});
  }
  const auto epsilon = [](Which which) {
    return rounded_up(gdp_vs_rdp::epsilon_of(gdp_vs_rdp::kPaperSteps, which), 9);
  };
  return {
      .name = "gdp-vs-rdp-delta",
      .title = "GDP against RDP: delta after 420 steps",
      .paper =
          "delta(eps) of noisy gradient descent with sigma = 100 after k = 420 steps, under "
          "GDP and under RDP (section \"Benefits of GDP vs. RDP Filtering\", first figure).",
      .here =
          "The same closed forms: sigma = 100, sensitivity 1, 81 values of eps from 0.1 to "
          "0.9. Every delta is the upper end of a certified bound. RDP takes the best of all "
          "real orders and, beside it, the best of the orders 2 to 32.",
      .claims = {gdp_is_below(all), eps_is_smaller()},
      .corrections = {fmt::format(
          "{} After 420 steps that is nearly the same: at delta = 1e-5 eps = {} against {} over "
          "real orders, and their delta is larger by a factor of at most {}.",
          gdp_vs_rdp::kShortOrders, epsilon(Which::rdp_short), epsilon(Which::rdp),
          short_orders_cost(all))},
      .charts = {chart},
      .data = data,
      .about_people = false};
}

Figure steps_figure() {
  const std::vector<double> epsilons = gdp_vs_rdp::hundredths(10, 110);
  LineChart chart{.frame = frame("δ after 300, 500 and 900 steps with σ = 100", epsilons),
                  .lines = {}};
  DataTable data{.columns = gdp_vs_rdp::columns(), .rows = {}};
  data.columns.insert(data.columns.begin(), "steps");
  std::vector<Claim> claims;
  std::string costs;
  for (const double steps : {300.0, 500.0, 900.0}) {
    const Curves all = curves(steps, epsilons);
    for (const Which which : {Which::gdp, Which::rdp}) {
      chart.lines.push_back(
          {.name = fmt::format("{}, {} steps", which == Which::gdp ? "GDP" : "RDP", steps),
           .x = epsilons,
           .y = all.deltas[which],
           .dashed = which == Which::rdp,
           .colour = claims.size()});
    }
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
      data.rows.push_back({static_cast<std::int64_t>(steps), epsilons[i], all.deltas[0][i],
                           all.deltas[1][i], all.deltas[2][i]});
    }
    claims.push_back(gdp_is_below(all));
    costs += (costs.empty() ? "" : ", ") + short_orders_cost(all);
  }
  return {
      .name = "gdp-vs-rdp-steps",
      .title = "GDP against RDP: delta after 300, 500 and 900 steps",
      .paper =
          "delta(eps) under GDP and under RDP for different numbers of steps, with sigma = "
          "100 (section \"Further Comparisons of RDP and GDP\", first figure).",
      .here =
          "The same closed forms for k = 300, 500 and 900 and 101 values of eps from 0.1 to "
          "1.1. Every delta is the upper end of a certified bound. The picture shows RDP over "
          "real orders; the data hold the orders 2 to 32 too.",
      .claims = claims,
      .corrections = {fmt::format("{} Their delta is larger than over real orders by a factor of "
                                  "at most {}.",
                                  gdp_vs_rdp::kShortOrders, costs)},
      .charts = {chart},
      .data = data,
      .about_people = false};
}

}  // namespace

std::vector<Figure> gdp_vs_rdp_figures() {
  return {delta_figure(), steps_figure(), largest_k_figure()};
}

}  // namespace ration::paper
