#include "cli/account_print.h"

#include <fmt/format.h>

#include "cli/individual_print.h"

namespace ration::cli {
namespace {

Json filter_json(const FilterSummary& filter) {
  Json budget = {{"epsilon", json(filter.budget)}};
  if (filter.mu) budget["mu"] = json(*filter.mu);
  return {{"kind", filter.kind}, {"budget", budget}, {"guarantee", json(filter.guarantee)}};
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
                   {"worst_case", json(summary.worst_case)},
                   {"quantiles", json(summary.quantiles)},
                   {"guarantee", json(summary.guarantee)},
                   {"method", name(summary.method)},
                   {"delta", json(exactly(summary.delta))}};
  if (summary.filter) document["filter"] = filter_json(*summary.filter);
  if (!summary.groups.empty()) document["groups"] = json(summary.labels, summary.groups);
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
  rows.emplace_back("method", name(summary.method));
  rows.emplace_back("guarantee", summary.guarantee.theorem);
  rows.emplace_back("neighbours", summary.guarantee.neighbours);
  rows.emplace_back("private", kPrivate);
  print(rows);

  const Everybody everybody = {.epsilons = summary.epsilons,
                               .attendance = summary.attendance,
                               .promise = summary.worst_case,
                               .certified = summary.guarantee.certified};
  fmt::print("\n");
  print_histogram(everybody);
  fmt::print("\n");
  print_groups(summary.labels, summary.groups);
  if (!summary.groups.empty()) fmt::print("\n");
  Rows spent;
  append(spent, everybody);
  append_wide(spent, summary.wide);
  print(spent);
}

}  // namespace ration::cli
