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

Json results_json(const AccountSummary& summary, const AccountedRun& run) {
  Json individual = {{"quantiles", cli::json(summary.quantiles)},
                     {"method", name(summary.method)},
                     {"guarantee", cli::json(summary.guarantee)}};
  if (!summary.groups.empty()) individual["groups"] = cli::json(summary.labels, summary.groups);
  if (summary.wide > 0) individual["wide"] = summary.wide;
  if (!run.followed.empty()) individual["followed"] = run.followed;
  individual["private"] = kPrivate;
  Json plan = Json::array();
  for (const auto& [step, count] : run.steps) {
    plan.push_back({{"noise", double{step.noise}}, {"rate", double{step.rate}}, {"steps", count}});
  }
  Json worst_case = cli::json(run.unfiltered_worst_case.epsilon);
  worst_case["certified"] = run.unfiltered_worst_case.guarantee.certified;
  Json document = {
      {"epsilon", cli::json(run.promise.by_filter ? run.promise.epsilon : summary.worst_case)},
      {"delta", double{summary.delta}},
      {"steps", summary.steps},
      {"charged_steps", summary.steps},
      {"people", summary.people},
      {"data", run.norms},
      {"clip", double{run.steps.front().step.clip}},
      {"plan", plan},
      {"worst_case", worst_case}};
  if (summary.filter) {
    document["filter"] = summary.filter->kind;
    document["budget"] = cli::json(summary.filter->budget);
  }
  document["individual"] = individual;
  document["guarantee"] = cli::json(run.promise.guarantee);
  return document;
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
