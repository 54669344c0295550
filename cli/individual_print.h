// How everybody's eps looks to the owner of the data: bars, and what shares of all people and of
// groups have spent. Each part says that it is private.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/print.h"
#include "ration/control/books.h"
#include "ration/individual/quantiles.h"
#include "ration/results/summary_json.h"

namespace ration::cli {

using results::kPrivate;

// Six digits: those that follow are the buckets', and may depend on the processor.
std::string shown(const Bound& epsilon);

// What anybody has spent, and who took part.
struct Everybody {
  std::span<const Bound> epsilons;
  std::span<const Attendance::Person> attendance;  // empty without a filter
  std::optional<Bound> promise;
  bool certified;
};
void print_histogram(const Everybody& everybody);
// What half of the people have spent, and how many were left out of a step.
void append(Rows& rows, const Everybody& everybody);

// What shares of each group have spent, a line for each; nothing if there are no groups.
void print_groups(std::span<const std::string> labels, std::span<const GroupQuantiles> groups);
void append_wide(Rows& rows, std::size_t wide);  // nothing if there are none

}  // namespace ration::cli
