#include "cli/account_print.h"

#include <fmt/format.h>

#include "cli/individual_print.h"

namespace ration::cli {
namespace {

Json json(const FilterSummary& filter) {
  Json budget = {{"epsilon", cli::json(filter.budget)}};
  if (filter.mu) budget["mu"] = cli::json(*filter.mu);
  return {{"kind", filter.kind}, {"budget", budget}, {"guarantee", cli::json(filter.guarantee)}};
}

}  // namespace

FilterSummary summary_of(const Filter& filter, Delta delta) {
  return {.kind = std::string(filter.currency().name()),
          .budget = filter.budget(0, delta),
          .mu = filter.budget_mu(0),
          .guarantee = filter.guarantee()};
}

void print_json(const AccountSummary& summary) {
  Json document = {{"people", summary.people},
                   {"steps", summary.steps},
                   {"worst_case", cli::json(summary.worst_case)},
                   {"quantiles", cli::json(summary.quantiles)},
                   {"guarantee", cli::json(summary.guarantee)},
                   {"method", name(summary.method)},
                   {"delta", cli::json(exactly(summary.delta))}};
  if (summary.filter) document["filter"] = json(*summary.filter);
  if (!summary.groups.empty()) document["groups"] = cli::json(summary.labels, summary.groups);
  if (summary.wide > 0) document["wide"] = summary.wide;
  document["private"] = kPrivate;
  print(document);
}

void print_table(const AccountSummary& summary) {
  Rows rows = {{"people", fmt::format("{}", summary.people)},
               {"steps", fmt::format("{}", summary.steps)},
               {"delta", fmt::format("{}", double{summary.delta})},
               {"worst case", "epsilon " + shown(summary.worst_case)}};
  if (summary.filter) {
    rows.emplace_back("filter", fmt::format("{}, with a budget of epsilon {}", summary.filter->kind,
                                            shown(summary.filter->budget)));
  }
  append(rows, summary.quantiles);
  append(rows, summary.labels, summary.groups);
  append_wide(rows, summary.wide);
  rows.emplace_back("method", name(summary.method));
  rows.emplace_back("guarantee", summary.guarantee.theorem);
  rows.emplace_back("neighbours", summary.guarantee.neighbours);
  rows.emplace_back("private", kPrivate);
  print(rows);
}

}  // namespace ration::cli
