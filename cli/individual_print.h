// How everybody's eps looks in a summary: quantiles, of all people and of groups, and the words
// that go with them.
#pragma once

#include <span>
#include <string>

#include "cli/print.h"
#include "ration/individual/quantiles.h"
#include "ration/results/summary_json.h"

namespace ration::cli {

using results::kPrivate;

// Six digits: those that follow are the buckets', and may depend on the processor.
std::string shown(const Bound& epsilon);

void append(Rows& rows, const Quantiles& quantiles);
void append(Rows& rows, std::span<const std::string> labels,
            std::span<const GroupQuantiles> groups);
void append_wide(Rows& rows, std::size_t wide);  // nothing if there are none

}  // namespace ration::cli
