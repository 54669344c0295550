// summary.json of a directory of results: what was promised, and in the same form for runs and for
// accounts. Its writer and its reader. Pure functions; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "ration/results/results.h"

namespace ration::results {

// What stands in a summary beside individual values, and beside the results of a test run.
inline constexpr const char* kPrivate =
    "Individual values, quantiles and groups depend on the data and are not differentially "
    "private; the smallest and the largest are single people's. Do not publish them.";
inline constexpr const char* kTestRun =
    "This was a test run with a known seed: nothing that it made is private.";

// Everything but moments, settings, and the values of single people, which have their own files.
std::string summary_text(const Results& results);

// All of Results that the summary says. With Sight::everything also the individual part of private
// results, without the values of single people; else nothing of it is looked at. Refuses, naming
// `source`, a text that is cut off or no JSON, and values that are missing, of another type or out
// of range.
enum class Sight { everything, public_only };
Results parse_summary(std::string_view text, const std::string& source, Results::Kind kind,
                      Sight sight);

}  // namespace ration::results
