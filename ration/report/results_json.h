// summary.json of a directory of results: what was promised, and in the same form for runs and for
// accounts. Pure function; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "ration/report/results.h"

namespace ration::results {

// All of Results that the summary says. With Sight::everything also the individual part of private
// results, without the values of single people; else nothing of it is looked at. Refuses, naming
// `source`, a text that is cut off or no JSON, and values that are missing, of another type or out
// of range.
Results parse_summary(std::string_view text, const std::string& source, Results::Kind kind,
                      Sight sight);

}  // namespace ration::results
