#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ration/report/html_text.h"
#include "ration/report/page_sections.h"

namespace ration::report {
namespace {

constexpr std::size_t kInCharts = 40, kInTable = 500;

// What is known of the groups at the end: lists by group, empty where nothing is.
struct AtTheEnd {
  std::vector<GroupQuantiles> epsilons = {};
  std::vector<double> mean_epsilon = {}, train_loss = {}, test_loss = {}, test_score = {};
};

// The first of a record's list is of everybody.
std::vector<double> of_groups(const std::vector<std::optional<double>>& record) {
  std::vector<double> values;
  for (std::size_t i = 1; i < record.size(); ++i) values.push_back(record[i].value_or(kUnknown));
  const bool any = std::any_of(values.begin(), values.end(), [](double x) { return x == x; });
  return any ? values : std::vector<double>{};
}

AtTheEnd at_the_end(const PageInput& page) {
  AtTheEnd end;
  if (const auto* individual = page.individual()) end.epsilons = individual->groups;
  if (page.results.moments.empty()) return end;
  const ResultsMoment& last = page.results.moments.back();
  const auto train_loss = page.train_losses(last);
  if (!train_loss.empty()) end.train_loss.assign(train_loss.begin() + 1, train_loss.end());
  const auto mean_epsilon = page.mean_epsilons(last);
  if (!mean_epsilon.empty()) end.mean_epsilon.assign(mean_epsilon.begin() + 1, mean_epsilon.end());
  end.test_loss = of_groups(last.test_loss);
  end.test_score = of_groups(last.test_score);
  return end;
}

std::vector<std::size_t> colours(const PageInput& page, const std::vector<std::size_t>& shown) {
  const auto all = group_colours(page);
  std::vector<std::size_t> some;
  some.reserve(shown.size());
  for (const std::size_t g : shown) some.push_back(all[g]);
  return some;
}

std::vector<std::string> labels(const Results& results, const std::vector<std::size_t>& shown) {
  std::vector<std::string> all;
  all.reserve(shown.size());
  for (const std::size_t g : shown) all.push_back(results.groups[g]);
  return all;
}

BarSeries bars(std::string name, const std::vector<double>& values,
               const std::vector<std::size_t>& shown) {
  BarSeries series = {.name = std::move(name), .bars = {}};
  for (const std::size_t g : shown) series.bars.push_back({values[g]});
  return series;
}

std::string epsilon_figure(PageInput& page, const AtTheEnd& end,
                           const std::vector<std::size_t>& shown) {
  if (end.epsilons.empty()) return {};
  BarSeries series = {.name = "median (5 % to 95 %)", .bars = {}};
  for (const std::size_t g : shown) {
    const Quantiles& quantiles = end.epsilons[g].quantiles;
    if (end.epsilons[g].people == 0) {
      series.bars.push_back({.value = kUnknown, .low = kUnknown, .high = kUnknown});
      continue;
    }
    series.bars.push_back(
        {.value = quantiles[3].upper, .low = quantiles[1].upper, .high = quantiles[5].upper});
  }
  const Chart chart =
      BarChart{.frame = {.title = "ε by group", .x = {.title = "group"}, .y = {.title = "ε"}},
               .categories = labels(page.results, shown),
               .series = {series},
               .colours = colours(page, shown)};
  return page.figures.add(chart, {.id = "chart-group-epsilons",
                                  .description = "For each group, the median of its people's own "
                                                 "epsilons and the quantiles at 5 % and 95 %, "
                                                 "interpolated between people.",
                                  .values = FigureText::Values::bounds});
}

std::string loss_figure(PageInput& page, const AtTheEnd& end,
                        const std::vector<std::size_t>& shown) {
  BarChart chart = {
      .frame = {.title = "Loss by group", .x = {.title = "group"}, .y = {.title = "loss"}},
      .categories = labels(page.results, shown),
      .series = {},
      .colours = colours(page, shown)};
  if (!end.test_loss.empty()) chart.series.push_back(bars("test", end.test_loss, shown));
  if (!end.train_loss.empty()) chart.series.push_back(bars("train", end.train_loss, shown));
  if (chart.series.empty()) return {};
  return page.figures.add(chart, {.id = "chart-group-losses",
                                  .description = "Mean loss of each group's people at the end. "
                                                 "Less is better."});
}

std::string score_figure(PageInput& page, const AtTheEnd& end,
                         const std::vector<std::size_t>& shown) {
  if (end.test_score.empty()) return {};
  const std::string& name = page.results.score_name;
  const Chart chart = BarChart{.frame = {.title = fmt::format("Test {} by group", name),
                                         .x = {.title = "group"},
                                         .y = {.title = name}},
                               .categories = labels(page.results, shown),
                               .series = {bars(name, end.test_score, shown)},
                               .colours = colours(page, shown)};
  return page.figures.add(chart, {.id = "chart-group-scores",
                                  .description = "Of each group's test people at the end. More is "
                                                 "better."});
}

// The paper's question: do those for whom the model does well also spend less?
std::string epsilon_against_loss(PageInput& page, const AtTheEnd& end,
                                 const std::vector<std::size_t>& shown) {
  PointChart chart = {.frame = {.title = "ε against loss by group",
                                .x = {.title = "mean ε"},
                                .y = {.title = "mean train loss"}},
                      .what = "group",
                      .points = {}};
  const auto colour = group_colours(page);
  for (const std::size_t g : shown) {
    if (g >= end.mean_epsilon.size() || g >= end.train_loss.size()) continue;
    const double epsilon = end.mean_epsilon[g], loss = end.train_loss[g];
    if (!std::isfinite(epsilon) || !std::isfinite(loss)) continue;
    chart.points.push_back({page.results.groups[g], epsilon, loss, colour[g]});
  }
  if (chart.points.empty()) return {};
  return page.figures.add(chart, {.id = "chart-epsilon-loss",
                                  .description = "For each group at the end, the mean of what its "
                                                 "people have spent and the mean of their losses.",
                                  .values = FigureText::Values::bounds});
}

std::string measured(double value) { return value == value ? fmt::format("{:.4g}", value) : "–"; }

HtmlTable group_table(const Results& results, const AtTheEnd& end,
                      const std::vector<std::size_t>& shown) {
  HtmlTable table = {.caption = "Groups at the end", .columns = {"Group"}, .rows = {}};
  for (const std::size_t g : shown) table.rows.push_back({results.groups[g]});
  const auto add = [&](std::string column, const auto& text_of) {
    table.columns.push_back(std::move(column));
    for (std::size_t i = 0; i < shown.size(); ++i) table.rows[i].push_back(text_of(shown[i]));
  };
  const auto add_measured = [&](std::string column, const std::vector<double>& values) {
    if (!values.empty()) add(std::move(column), [&](std::size_t g) { return measured(values[g]); });
  };
  if (!end.epsilons.empty()) {
    add("People", [&](std::size_t g) { return counted(end.epsilons[g].people); });
    const auto quantile = [&](std::size_t i) {
      return [&end, i](std::size_t g) {
        const GroupQuantiles& group = end.epsilons[g];
        return group.people == 0 ? "–" : shown_epsilon(group.quantiles[i].upper);
      };
    };
    add("ε, 5 %", quantile(1));
    add("ε, median", quantile(3));
    add("ε, 95 %", quantile(5));
  }
  add_measured("Train loss", end.train_loss);
  add_measured("Test loss", end.test_loss);
  add_measured("Test " + results.score_name, end.test_score);
  return table;
}

std::string limits(std::size_t groups) {
  if (groups <= kInCharts) return {};
  return fmt::format(
      "<p>There are {} groups. The charts show {} of them, the table {}: those with the "
      "most people first, where that may be shown.</p>\n",
      counted(groups), kInCharts, std::min(groups, kInTable));
}

}  // namespace

std::vector<std::size_t> groups_shown(const PageInput& page) {
  const Results& results = page.results;
  std::vector<std::size_t> shown(results.groups.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (!page.options.for_the_public) return shown;
  const auto tested = [&](std::size_t g) {
    const auto found = results.test_people.find(results.groups[g]);
    return found == results.test_people.end() ? 0 : found->second;
  };
  std::uint64_t left_out = 0;
  std::erase_if(shown, [&](std::size_t g) {
    const bool few = tested(g) < kLeastShown;
    left_out += few ? tested(g) : 0;
    return few;
  });
  if (left_out > 0 && left_out < kLeastShown && !shown.empty()) {
    shown.erase(std::min_element(shown.begin(), shown.end(),
                                 [&](auto a, auto b) { return tested(a) < tested(b); }));
  }
  return shown;
}

std::vector<std::size_t> largest_groups(const PageInput& page, std::size_t most) {
  std::vector<std::size_t> order = groups_shown(page);
  const auto* individual = page.individual();
  if (individual && individual->groups.size() == order.size() && order.size() > most) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return individual->groups[a].people > individual->groups[b].people;
    });
  }
  order.resize(std::min(order.size(), most));
  return order;
}

std::vector<std::size_t> group_colours(const PageInput& page) {
  constexpr std::size_t kDifferent = kPromisesColour - kEverybodysColour - 1;
  const std::size_t groups = page.results.groups.size();
  std::vector<std::size_t> rank = largest_groups(page, kOverTime);
  std::vector<bool> drawn(groups);
  for (const std::size_t g : rank) drawn[g] = true;
  for (std::size_t g = 0; g < groups; ++g) {
    if (!drawn[g]) rank.push_back(g);
  }
  std::vector<std::size_t> colours(groups);
  for (std::size_t i = 0; i < groups; ++i) {
    colours[rank[i]] = kEverybodysColour + 1 + i % kDifferent;
  }
  return colours;
}

std::string groups_section(PageInput& page) {
  const AtTheEnd end = at_the_end(page);
  const bool nothing = end.epsilons.empty() && end.train_loss.empty() && end.test_loss.empty() &&
                       end.test_score.empty();
  const std::size_t groups = groups_shown(page).size();
  if (groups == 0 || nothing) return {};
  const auto shown = largest_groups(page, kInCharts);
  std::string text = limits(groups) + "<div class=\"figures\">\n";
  text += epsilon_figure(page, end, shown);
  text += loss_figure(page, end, shown);
  text += epsilon_against_loss(page, end, shown);
  text += score_figure(page, end, shown);
  text += "</div>\n";
  return text + html(group_table(page.results, end, largest_groups(page, kInTable)));
}

}  // namespace ration::report
