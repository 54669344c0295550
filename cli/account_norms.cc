// The norms that `ration account` reads: a matrix, or a table in a file or a pipe.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/account_options.h"
#include "ration/base/error.h"
#include "ration/control/long_norms.h"
#include "ration/file/csv_rows.h"
#include "ration/file/gzip.h"
#include "ration/file/id_file.h"
#include "ration/file/open_file.h"
#include "ration/file/temporary_file.h"
#include "ration/mechanism/mechanism_csv.h"

namespace ration::cli {
namespace {

constexpr auto kMostSteps = static_cast<double>(Accounts::kMostSteps);

// By its name, or by what an NPY file starts with: whatever else is a table.
bool is_matrix(const std::string& norms) {
  if (norms == kStandardInput) return false;
  if (std::filesystem::path(norms).extension() == ".npy") return true;
  const MappedFile file{std::filesystem::path(norms), "the name of a file of norms"};
  InflatedBytes bytes(file.bytes(), norms);
  std::byte first{};
  return bytes.read_some({&first, 1}) == 1 && first == std::byte{0x93};
}

NormsOfPeople matrix_of(const AccountOptions& options) {
  if (options.steps) {
    throw Error("--steps belongs to norms as a table of persons and steps: leave it out");
  }
  if (options.id && !options.ids) {
    throw Error("--id belongs to --ids, or to norms as a table: give --ids, or leave it out");
  }
  auto norms = std::make_unique<NormMatrix>(options.norms);
  Ids ids = options.ids ? read_ids(*options.ids, options.id, "--ids") : Ids();
  if (options.ids && ids.size() != norms->people()) {
    refuse("--ids", fmt::format("a file of {} ids", ids.size()),
           fmt::format("one for each of the {} people, in the order of the norms' columns",
                       norms->people()));
  }
  return {.norms = std::move(norms),
          .ids = std::move(ids),
          .ordered = true,
          .called = std::filesystem::path(options.norms).filename().string()};
}

// How many there were, if anybody says so.
std::optional<std::uint64_t> steps_of(const AccountOptions& options) {
  if (options.plan && options.steps) {
    throw Error("--plan is given together with --steps: the file holds both");
  }
  if (options.steps) {
    return static_cast<std::uint64_t>(whole("--steps", *options.steps, 1, kMostSteps));
  }
  if (!options.plan) return std::nullopt;
  double sum = 0;
  for (const PlanEntry& like : read_plan(std::filesystem::path(*options.plan))) sum += like.steps;
  return static_cast<std::uint64_t>(std::min(sum, kMostSteps + 1));  // what is beyond is refused
}

// The column that --id names, unless that is the name in the file of ids alone.
std::string person_column(std::span<const std::byte> table, const std::string& source,
                          const AccountOptions& options) {
  const std::string usual = LongNorms::Options{}.person;
  if (!options.id || !options.ids) return options.id.value_or(usual);
  csv::Records records(table, source);
  if (!records.next()) return usual;
  const auto header = records.cells();
  return std::find(header.begin(), header.end(), *options.id) != header.end() ? *options.id : usual;
}

NormsOfPeople table_of(const AccountOptions& options) {
  const bool piped = options.norms == kStandardInput;
  const std::string source =
      piped ? "standard input" : std::filesystem::path(options.norms).filename().string();
  const std::string accepted = "a CSV table with the columns person,step,norm";
  LongNorms::Options how = {.steps = steps_of(options)};
  if (options.ids) how.ids = read_ids(*options.ids, options.id, "--ids");
  std::optional<TemporaryFile> spooled;
  if (piped) {
    spooled.emplace().append_standard_input();
    if (spooled->size() == 0) refuse(source, "empty", accepted);
  }
  const MappedFile table = piped ? spooled->mapped(accepted)
                                 : MappedFile(std::filesystem::path(options.norms), accepted);
  how.person = person_column(table.bytes(), source, options);
  auto norms = std::make_unique<LongNorms>(table.bytes(), source, std::move(how));
  if (norms->has_gaps()) {
    fmt::print(
        stderr,
        "ration: warning: {} has no row for some step between its first and its last: if rows "
        "were lost, what they cost is missing; if nobody took part, give --steps\n",
        source);
  }
  Ids ids = norms->ids();
  return {.norms = std::move(norms),
          .ids = std::move(ids),
          .ordered = options.ids.has_value(),
          .called = source};
}

}  // namespace

NormsOfPeople norms_of(const AccountOptions& options) {
  return is_matrix(options.norms) ? matrix_of(options) : table_of(options);
}

}  // namespace ration::cli
