#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "paper/tight_filter.h"
#include "ration/compose/calibrate.h"
#include "ration/compose/compose.h"
#include "ration/control/filter.h"
#include "ration/control/renyi_currency.h"
#include "ration/control/tight_currency.h"

namespace ration::paper {
namespace {

constexpr double kLargestRatio = 16;

// What fits at one ratio of somebody's noise to that at the clip bound.
struct StepsAtRatio {
  double ratio, optimum, tight;
  double rdp, rdp_along_steps;  // under either budget of the Renyi filter, see "here"
  double tight_epsilon;         // of the steps that the tight filter admits, fixed in advance
};
struct StepsOfSetting {
  TightFilterSetting setting;
  double epsilon;   // the budget
  double promised;  // what the tight filter's whole units of it are worth
  std::vector<StepsAtRatio> at;
};

Plan plan_at(const TightFilterSetting& setting, double ratio, double steps) {
  return {entry({.noise = setting.step.noise * ratio, .rate = setting.step.rate, .steps = steps})};
}

// How many like steps each of these people takes part in.
std::vector<std::uint32_t> admitted(Filter& filter, const Step& step,
                                    std::span<const double> norms) {
  std::vector<std::uint32_t> times(norms.size());
  filter.could_admit(step, norms, std::numeric_limits<std::uint32_t>::max(), times);
  return times;
}

StepsOfSetting steps_of_setting(const TightFilterSetting& setting, std::uint32_t per_doubling) {
  const double delta = setting.delta;
  StepsOfSetting found{.setting = setting, .epsilon = 0, .promised = 0, .at = {}};
  found.epsilon = compose(plan_at(setting, 1, setting.steps), delta).epsilon.upper;

  // A person for each ratio. Norms are a hair smaller, so that their noise is at least that of the
  // entry in the price list.
  constexpr double kHair = 1 - 0x1p-48;
  const Step step = {.noise = setting.step.noise, .clip = 1, .rate = setting.step.rate};
  std::vector<double> norms;
  for (std::uint32_t i = 0; i <= per_doubling * std::log2(kLargestRatio); ++i) {
    const double ratio = std::exp2(static_cast<double>(i) / per_doubling);
    norms.push_back(kHair / ratio);
    found.at.push_back({.ratio = ratio,
                        .optimum = 0,
                        .tight = 0,
                        .rdp = 0,
                        .rdp_along_steps = 0,
                        .tight_epsilon = 0});
  }
  const EpsilonBudget budget = {.epsilon = found.epsilon, .delta = delta};
  Filter tight(norms.size(), tight_currency(setting.step, budget.epsilon, delta), budget);
  EpsilonBudget along_steps = budget;
  along_steps.shape = step;
  Filter rdp(norms.size(), renyi_currency(default_orders()), budget);
  Filter rdp_along_steps(norms.size(), renyi_currency(default_orders()), along_steps);
  found.promised = tight.budget(0, delta).upper;
  const auto by_tight = admitted(tight, step, norms), by_rdp = admitted(rdp, step, norms),
             by_rdp_along_steps = admitted(rdp_along_steps, step, norms);
  for (std::size_t i = 0; i < norms.size(); ++i) {
    StepsAtRatio& at = found.at[i];
    at.tight = by_tight[i];
    at.rdp = by_rdp[i];
    at.rdp_along_steps = by_rdp_along_steps[i];
    at.optimum =
        static_cast<double>(calibrate_steps({.epsilon = budget.epsilon, .delta = delta},
                                            {.noise = step.noise * at.ratio, .rate = step.rate}));
    at.tight_epsilon = compose(plan_at(setting, at.ratio, at.tight), delta).epsilon.lower;
  }
  return found;
}

std::string name_of(const TightFilterSetting& setting) {
  return fmt::format("rate {}, noise {}, {} steps, delta {}", double{setting.step.rate},
                     double{setting.step.noise}, setting.steps, setting.delta);
}

Claim admits_more(const StepsOfSetting& found) {
  double least = std::numeric_limits<double>::infinity();
  for (const StepsAtRatio& at : found.at) {
    least = std::min(least, at.tight / std::max({at.rdp, at.rdp_along_steps, 1.0}));
  }
  const StepsAtRatio& first = found.at.front();
  return judged(
      fmt::format("The tight filter admits more steps than the Renyi filter, under either of its "
                  "budgets, at every ratio from 1 to 16 ({}).",
                  name_of(found.setting)),
      fmt::format("At least {:.3f} times as many; at the clip bound {} against {}, and {} under "
                  "tight accounting without a filter.",
                  least, first.tight, std::max(first.rdp, first.rdp_along_steps), first.optimum),
      {{.what = "least factor from Renyi's steps, the larger number, to the tight filter's",
        .number = known(least),
        .above = 1}});
}

// A limit is reached if nothing above it is; the next double stands for "at most".
double at_most(double limit) { return std::nextafter(limit, 2 * limit); }

Claim costs_little(const StepsOfSetting& found) {
  const TightFilterSetting& setting = found.setting;
  double first = 0, others = 0;
  for (const StepsAtRatio& at : found.at) {
    const double cost = found.promised / at.tight_epsilon;
    if (at.ratio == 1) first = cost;
    if (at.ratio >= 2) others = std::max(others, cost);
  }
  return judged(
      fmt::format("The eps that the tight filter promises is at most {} times the tight eps of the "
                  "steps that it admits at the clip bound, and at most {} times at ratios from 2 "
                  "to 16 ({}).",
                  setting.at_clip_bound, setting.at_ratios, name_of(setting)),
      fmt::format("It promises {}, {:.4f} times as much at the clip bound and at most {:.4f} times "
                  "beyond.",
                  rounded_up(found.promised, 6), first, others),
      {{.what = "eps over tight eps, at the clip bound",
        .number = known(first),
        .below = at_most(setting.at_clip_bound)},
       {.what = "the most of it at ratios from 2 to 16",
        .number = known(others),
        .below = at_most(setting.at_ratios)}});
}

report::LineChart chart_of(const StepsOfSetting& found) {
  const TightFilterSetting& setting = found.setting;
  report::LineChart chart{
      .frame = {.title = fmt::format("Steps at ε = {}, δ = {}: rate {}, σ = {}",
                                     rounded_up(found.epsilon, 4), setting.delta,
                                     double{setting.step.rate}, double{setting.step.noise}),
                .x = {.title = "noise ratio", .logarithmic = true, .from = 1, .to = kLargestRatio},
                .y = {.title = "share of the tight optimum", .from = 0, .to = 1}},
      .lines = {}};
  const auto add = [&](const char* name, double StepsAtRatio::*steps) {
    report::Line line{.name = name, .x = {}, .y = {}};
    for (const StepsAtRatio& at : found.at) {
      line.x.push_back(at.ratio);
      line.y.push_back(at.*steps / at.optimum);
    }
    chart.lines.push_back(line);
  };
  add("tight accounting, no filter", &StepsAtRatio::optimum);
  add("tight filter", &StepsAtRatio::tight);
  add("Rényi filter", &StepsAtRatio::rdp);
  add("Rényi filter, budget along its steps", &StepsAtRatio::rdp_along_steps);
  return chart;
}

}  // namespace

Figure tight_filter_steps_figure(const TightFilterSettings& settings,
                                 const OnFraction& on_fraction) {
  Figure figure{
      .name = "tight-filter-steps",
      .title = "Sampled steps: how many each filter admits",
      .paper =
          "No figure: \"an open question remains how to carry out tight fully adaptive analysis "
          "using arbitrary dominating pairs of distributions\" (section \"Conclusions\"), such as "
          "those of sampled steps.",
      .here =
          "Like steps of people whose norms never change, at noise ratios from 1 (the clip bound) "
          "to 16. In each setting the budget is the eps that its number of steps at the clip bound "
          "cost under tight accounting, so that exactly as many fit without a filter. Shares are "
          "of what fits without a filter at the same ratio. The Renyi filter has its default "
          "orders; "
          "its budget is spread over them as the divergences of a Gaussian are, or as those of a "
          "step at the clip bound (along its steps). Every eps is the upper end of a certified "
          "bound.",
      .claims = {},
      .charts = {},
      .data = {.columns = {"rate", "noise", "steps_of_budget", "delta", "epsilon", "ratio",
                           "tight_accounting", "tight", "rdp", "rdp_along_steps",
                           "promised_epsilon", "tight_epsilon_of_admitted"},
               .rows = {}},
      .about_people = false};
  for (const TightFilterSetting& setting : settings.settings) {
    const StepsOfSetting found = steps_of_setting(setting, settings.per_doubling);
    figure.claims.push_back(admits_more(found));
    figure.claims.push_back(costs_little(found));
    figure.charts.emplace_back(chart_of(found));
    for (const StepsAtRatio& at : found.at) {
      figure.data.rows.push_back(
          {double{setting.step.rate}, double{setting.step.noise}, setting.steps, setting.delta,
           found.epsilon, at.ratio, static_cast<std::int64_t>(at.optimum),
           static_cast<std::int64_t>(at.tight), static_cast<std::int64_t>(at.rdp),
           static_cast<std::int64_t>(at.rdp_along_steps), found.promised, at.tight_epsilon});
    }
    if (on_fraction) {
      on_fraction(static_cast<double>(figure.charts.size()) /
                  static_cast<double>(settings.settings.size()));
    }
  }
  return figure;
}

}  // namespace ration::paper
