// How the result of `ration account` looks. Never who was left out by a filter: that is for the
// file that was asked for. How many, and how their eps are spread, is for people to read, marked as
// private, and not for other programs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/print.h"
#include "ration/base/values.h"
#include "ration/control/books.h"
#include "ration/control/promise.h"
#include "ration/individual/epsilons.h"
#include "ration/individual/quantiles.h"
#include "ration/individual/step.h"

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
  std::span<const Bound> epsilons;
  std::span<const Attendance::Person> attendance;  // empty without a filter
  IndividualMethod method;
  Guarantee guarantee;
  std::size_t wide;
  std::optional<FilterSummary> filter;
  std::vector<std::string> labels;  // of groups
  std::vector<GroupQuantiles> groups;
};
void print_table(const AccountSummary& summary);
void print_json(const AccountSummary& summary);

}  // namespace ration::cli
