// Results as one HTML page that needs nothing else: no network, no other file. Tables and text are
// in it as they are; charts are drawn by Chart.js, which is in it too. The page's parts are in
// page_sections.h. docs/report.md
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "ration/results/results.h"

namespace ration::report {

using results::FollowedPerson;
using results::IndividualResults;
using results::Results;
using results::ResultsMoment;

struct PageOptions {
  // Leaves out all that depends on single people's data or on who took part, also where the
  // results hold it.
  bool for_the_public = false;
  std::optional<std::size_t> person = {};  // whose account to show
  std::string date = {};                   // of the page, as it is to be shown
  // What its readers should know before anything else; nothing is said where these are empty.
  std::string title = {};
  std::string purpose = {};     // what the results are for
  std::string controller = {};  // who answers for the data
};

// Refuses a page for the public of a run without privacy, a person in a page for the public, and
// one whom the results do not hold. Pure.
std::string report_page(const Results& results, const PageOptions& options);

// Only a page for the public may be read by others than its owner. Throws WriteFailure.
void write_page(const std::filesystem::path& file, std::string_view page,
                const PageOptions& options);

}  // namespace ration::report
