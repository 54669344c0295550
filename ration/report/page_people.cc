#include <fmt/format.h>

#include <algorithm>

#include "ration/base/bound.h"
#include "ration/individual/quantiles.h"
#include "ration/report/everybody_chart.h"
#include "ration/report/html_text.h"
#include "ration/report/page_sections.h"

namespace ration::report {
namespace {

constexpr std::pair<unsigned, const char*> kShares[] = {
    {0, "least"}, {5, "5 %"}, {25, "25 %"}, {50, "half"}, {75, "75 %"}, {95, "95 %"}, {100, "all"}};

std::string histogram(PageInput& page) {
  const auto [chart, without] = everybody_chart(page.results);
  std::string beyond;
  if (without > 0) {
    beyond = fmt::format("<p>{} people have no finite epsilon and are not in the chart.</p>\n",
                         counted(without));
  }
  return page.figures.add(
             chart, {.id = "chart-people",
                     .description = fmt::format("How many people have spent how much, against {}.",
                                                page.promise() ? "what is promised to "
                                                                 "everybody and the worst case"
                                                               : "the worst case"),
                     .zoom = FigureText::Zoom::heights}) +
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
      at_most, spent(95), attendance(*individual, page.results.people), histogram(page),
      html(table_of_shares(page, *individual)), escaped(individual->method),
      escaped(individual->guarantee.theorem) + ".", worth(page.results, individual->guarantee));
}

}  // namespace ration::report
