#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ration/base/rounded_text.h"
#include "ration/report/distribution.h"
#include "ration/report/html_text.h"
#include "ration/report/page_sections.h"

namespace ration::report {
namespace {

constexpr double kBins = 60, kMostBins = 240;
constexpr std::pair<unsigned, const char*> kShares[] = {
    {0, "least"}, {5, "5 %"}, {25, "25 %"}, {50, "half"}, {75, "75 %"}, {95, "95 %"}, {100, "all"}};

double finite_or(double value, double otherwise) {
  return std::isfinite(value) ? value : otherwise;
}

// Up to the promise or beyond; and up to the worst case, unless that would squeeze everybody into a
// corner.
double top_of(const PageInput& page, const IndividualResults& individual) {
  const Results& results = page.results;
  const double greatest = finite_or(individual.quantiles.back().upper, 0);
  const double promise = page.promise() ? finite_or(page.promise()->upper, 0) : 0;
  const double worst = results.worst_case ? finite_or(results.worst_case->upper, 0) : 0;
  const double highest = std::max(greatest, promise);
  const double needed = highest > 1e-300 ? highest : 1;
  return worst <= 3 * needed ? std::max(needed, worst) : needed;
}

// The promise is an edge, so that nobody's bar lies across it; unless it is too small to be seen
// beside what people have spent by an approximation.
BinRange range_of(const PageInput& page, const IndividualResults& individual) {
  const double top = top_of(page, individual);
  const double promise = page.promise() ? finite_or(page.promise()->upper, top) : top;
  const double edge = promise * kMostBins > top ? promise : top;
  const double below = std::max(1.0, std::round(kBins * (edge / top)));
  // One more, so that no marker stands on the frame.
  const double bins = std::max(below, std::ceil(top / edge * below)) + 1;
  return {.edge = edge,
          .below = static_cast<std::size_t>(below),
          .bins = static_cast<std::size_t>(bins)};
}

std::vector<Marker> markers(const PageInput& page, double top) {
  const Results& results = page.results;
  const Bound* const promise = page.promise();
  std::vector<Marker> all;
  const auto add = [&](const char* name, const Bound* epsilon) {
    if (!epsilon || epsilon->upper > top) return;
    all.push_back({fmt::format("{} {}", name, shown_epsilon(epsilon->upper)), epsilon->upper});
  };
  const auto is_promise = [&](const std::optional<Bound>& epsilon) {
    return epsilon && promise && epsilon->upper == promise->upper;
  };
  const bool budget_is_promise = is_promise(results.budget);
  const bool worst_is_promise = results.worst_case_proved && is_promise(results.worst_case);
  add(budget_is_promise  ? "promise, the budget"
      : worst_is_promise ? "promise, the worst case"
                         : "promise",
      promise);
  if (!budget_is_promise && results.budget) add("budget", &*results.budget);
  if (!worst_is_promise && results.worst_case) {
    add(results.worst_case_proved ? "worst case" : "worst case, approximated",
        &*results.worst_case);
  }
  return all;
}

std::string histogram(PageInput& page, const IndividualResults& individual) {
  const Bins bins = bins_of(individual.epsilons, range_of(page, individual));
  const double top = bins.edges.back();
  HistogramChart chart = {.frame = {.title = "Everybody's own epsilon",
                                    .x = {.title = "epsilon", .from = 0, .to = top},
                                    .y = {.title = "people"}},
                          .edges = {},
                          .histograms = {}};
  chart.edges = bins.edges;
  chart.histograms.push_back(
      {.name = "people", .heights = {bins.counts.begin(), bins.counts.end()}});
  chart.markers = markers(page, top);
  std::string beyond;
  if (bins.beyond > 0) {
    beyond = fmt::format("<p>{} people have no finite epsilon and are not in the chart.</p>\n",
                         counted(bins.beyond));
  }
  return page.figures.add(
             chart, {.id = "chart-people",
                     .description = fmt::format("How many people have spent how much, against {}.",
                                                page.promise() ? "what is promised to "
                                                                 "everybody and the worst case"
                                                               : "the worst case")}) +
         beyond;
}

HtmlTable table_of_shares(const PageInput& page, const IndividualResults& individual) {
  // The ends of an approximation enclose nothing.
  const bool certified = individual.guarantee.certified;
  HtmlTable table = {.caption = "What shares of the people have spent",
                     .columns = {"People", certified ? "ε at most" : "ε about"},
                     .rows = {}};
  if (certified) table.columns.emplace_back("ε lies in");
  if (page.promise()) table.columns.emplace_back("Of the promise");
  for (const auto& [percent, name] : kShares) {
    const Bound epsilon = spent_by(percent, individual.epsilons);
    auto& row =
        table.rows.emplace_back(std::vector<std::string>{name, shown_epsilon(epsilon.upper)});
    if (certified) {
      row.push_back(
          fmt::format("[{}, {}]", rounded_down(epsilon.lower, 6), rounded_up(epsilon.upper, 6)));
    }
    if (const Bound* promise = page.promise()) {
      row.push_back(promise->upper > 0 ? percent_up(epsilon.upper, promise->upper) : "–");
    }
  }
  return table;
}

std::string attendance(const IndividualResults& individual, std::size_t people) {
  if (individual.attendance.empty()) return {};
  const auto left_out = static_cast<std::uint64_t>(
      std::count_if(individual.attendance.begin(), individual.attendance.end(),
                    [](const Attendance::Person& person) { return person.left_out > 0; }));
  return fmt::format(
      "<p>A filter left people out of the steps that their budget no longer covered. It did so to "
      "{} of {} people in at least one step.</p>\n",
      counted(left_out), counted(people));
}

// What the values are worth, which need not be what the promise is.
std::string worth(const Results& results, const Guarantee& guarantee) {
  if (!guarantee.certified) return "Not certified: these are approximations.";
  return fmt::format(
      "Certified: all numerical errors are inside the bounds. The values are proved for norms that "
      "were fixed in advance. {}",
      results.kind == Results::Kind::run
          ? "What a step of training costs a person depends on the model by then: for that these "
            "values are no guarantee."
          : "If they followed from what was released before, these values are no guarantee.");
}

}  // namespace

std::string people_section(PageInput& page) {
  const auto* individual = page.individual();
  if (!individual || individual->epsilons.empty()) return {};
  const auto spent = [&](unsigned percent) {
    return shown_epsilon(spent_by(percent, individual->epsilons).upper);
  };
  const char* const at_most = individual->guarantee.certified ? "at most" : "about";
  return fmt::format(
      "<p>{}What the steps cost each person follows from their own data, and can be less: half of "
      "the people have spent {} ε {}, and 95 % of them {} ε {}.</p>\n"
      "{}{}{}<p class=\"small\">Method: {}. {} {}</p>\n",
      page.promise() ? "The promise covers whoever contributes most. " : "", at_most, spent(50),
      at_most, spent(95), attendance(*individual, page.results.people),
      histogram(page, *individual), html(table_of_shares(page, *individual)),
      escaped(individual->method), escaped(individual->guarantee.theorem) + ".",
      worth(page.results, individual->guarantee));
}

}  // namespace ration::report
