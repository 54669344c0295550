// How everybody's eps looks in a summary: quantiles, of all people and of groups, and the words
// that go with them.
#pragma once

#include <span>
#include <string>

#include "cli/print.h"
#include "ration/individual/quantiles.h"

namespace ration::cli {

inline constexpr const char* kPrivate =
    "Individual values, quantiles and groups depend on the data and are not differentially "
    "private; the smallest and the largest are single people's. Do not publish them.";

// Six digits: those that follow are the buckets', and may depend on the processor.
std::string shown(const Bound& epsilon);

Json json(const Quantiles& quantiles);
// By label, in their order.
Json json(std::span<const std::string> labels, std::span<const GroupQuantiles> groups);

void append(Rows& rows, const Quantiles& quantiles);
void append(Rows& rows, std::span<const std::string> labels,
            std::span<const GroupQuantiles> groups);
void append_wide(Rows& rows, std::size_t wide);  // nothing if there are none

}  // namespace ration::cli
