#include "cli/account_print.h"

#include <fmt/format.h>

#include "cli/print.h"

namespace ration::cli {
namespace {

constexpr const char* kPrivate =
    "Individual values, quantiles and groups depend on the data and are not differentially "
    "private; the smallest and the largest are single people's. Do not publish them.";

// Six digits: those that follow are the buckets', and may depend on the processor.
std::string shown(const Bound& epsilon) { return rounded_up(epsilon.upper, 6); }

std::string quantile_name(std::size_t i) { return fmt::format("{}", kQuantiles[i]); }

Json json(const Quantiles& quantiles) {
  Json document;
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    document[quantile_name(i)] = cli::json(quantiles[i]);
  }
  return document;
}

Json json(const FilterSummary& filter) {
  Json budget = {{"epsilon", cli::json(filter.budget)}};
  if (filter.mu) budget["mu"] = cli::json(*filter.mu);
  return {
      {"kind", name(filter.kind)}, {"budget", budget}, {"guarantee", cli::json(filter.guarantee)}};
}

std::string in_words(const GroupQuantiles& group, const std::string& label) {
  const auto at = [&](double quantile) {
    std::size_t i = 0;
    while (kQuantiles[i] != quantile) ++i;
    return shown(group.quantiles[i]);
  };
  return fmt::format("{}: {} people, 0.05: {}, 0.5: {}, 0.95: {}, 1: {}", label, group.people,
                     at(0.05), at(0.5), at(0.95), at(1));
}

}  // namespace

FilterSummary summary_of(const IndividualFilter& filter, Delta delta) {
  FilterSummary summary = {.kind = FilterKind::rdp,
                           .budget = budget_epsilon(filter, 0, delta),
                           .mu = {},
                           .guarantee = guarantee_of(filter)};
  if (const auto* gdp = std::get_if<IndividualGdpFilter>(&filter)) {
    summary.kind = FilterKind::gdp;
    summary.mu = gdp->budget(0);
  }
  return summary;
}

void print_json(const AccountSummary& summary) {
  Json document = {{"people", summary.people},
                   {"steps", summary.steps},
                   {"worst_case", cli::json(summary.worst_case)},
                   {"quantiles", json(summary.quantiles)},
                   {"guarantee", cli::json(summary.guarantee)},
                   {"method", name(summary.method)},
                   {"delta", cli::json(exactly(summary.delta))}};
  if (summary.filter) document["filter"] = json(*summary.filter);
  for (std::size_t g = 0; g < summary.groups.size(); ++g) {
    document["groups"][summary.labels[g]] = {{"people", summary.groups[g].people},
                                             {"quantiles", json(summary.groups[g].quantiles)}};
  }
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
    rows.emplace_back("filter",
                      fmt::format("{}, with a budget of epsilon {}", name(summary.filter->kind),
                                  shown(summary.filter->budget)));
  }
  for (std::size_t i = 0; i < summary.quantiles.size(); ++i) {
    rows.emplace_back("quantile " + quantile_name(i), "epsilon " + shown(summary.quantiles[i]));
  }
  for (std::size_t g = 0; g < summary.groups.size(); ++g) {
    rows.emplace_back("group", in_words(summary.groups[g], summary.labels[g]));
  }
  if (summary.wide > 0) {
    rows.emplace_back("wide", fmt::format("{} people's bounds hold, but are not sharp: their "
                                          "epsilon may be smaller than is said",
                                          summary.wide));
  }
  rows.emplace_back("method", name(summary.method));
  rows.emplace_back("guarantee", summary.guarantee.theorem);
  rows.emplace_back("neighbours", summary.guarantee.neighbours);
  rows.emplace_back("private", kPrivate);
  print(rows);
}

}  // namespace ration::cli
