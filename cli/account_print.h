// How the result of `ration account` looks. Never who was left out by a filter, nor how many: that
// is for the file that was asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/print.h"
#include "ration/base/values.h"
#include "ration/control/promise.h"
#include "ration/individual/epsilons.h"
#include "ration/individual/quantiles.h"
#include "ration/individual/step.h"
#include "ration/individual/worst_case.h"

namespace ration::cli {

struct FilterSummary {
  std::string kind;  // the currency's name
  Bound budget;      // eps at delta
  std::optional<Bound> mu;
  Guarantee guarantee;
};
FilterSummary summary_of(const Filter& filter, Delta delta);

struct AccountSummary {
  std::size_t people, steps;
  Delta delta;
  Bound worst_case;
  Quantiles quantiles;
  IndividualMethod method;
  Guarantee guarantee;
  std::size_t wide;
  std::optional<FilterSummary> filter;
  std::vector<std::string> labels;  // of groups
  std::vector<GroupQuantiles> groups;
};
// What else a directory of results says, for anyone who reads it without the norms.
struct AccountedRun {
  std::string norms;  // the name of their file
  std::vector<RepeatedStep> steps;
  WorstCase unfiltered_worst_case;
  Promise promise;
  std::vector<std::size_t> followed;
};
// In the form of a training's summary.json.
Json results_json(const AccountSummary& summary, const AccountedRun& run);

void print_table(const AccountSummary& summary);
void print_json(const AccountSummary& summary);

}  // namespace ration::cli
