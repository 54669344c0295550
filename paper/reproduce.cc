#include "paper/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "paper/data_table.h"
#include "paper/experiments.h"
#include "paper/figure_files.h"
#include "paper/reproduce_page.h"
#include "ration/base/error.h"
#include "ration/file/looked_at.h"
#include "ration/file/private_file.h"
#include "ration/train/run_directory.h"

namespace ration {
namespace {

namespace fs = std::filesystem;

constexpr std::array kExperiments = {Experiment::gdp_vs_rdp, Experiment::mnist,
                                     Experiment::clinical};

// Finds out now what would fail after the work is done.
void check_can_write(const fs::path& file) { const PrivateFile there(file); }

}  // namespace

std::string_view name(Experiment experiment) {
  switch (experiment) {
    case Experiment::gdp_vs_rdp:
      return "gdp-vs-rdp";
    case Experiment::mnist:
      return "mnist";
    case Experiment::clinical:
      return "clinical";
  }
  return {};
}

std::vector<Experiment> experiments_named(std::span<const std::string> names) {
  constexpr std::string_view kAccepted = "gdp-vs-rdp, mnist, clinical or all";
  if (names.empty()) refuse("NAME", "missing", kAccepted);
  const auto is_named = [&](std::string_view wanted) {
    return std::find(names.begin(), names.end(), wanted) != names.end();
  };
  for (const std::string& given : names) {
    const bool known =
        given == "all" || std::any_of(kExperiments.begin(), kExperiments.end(),
                                      [&](Experiment each) { return given == name(each); });
    if (!known) refuse("NAME", "'" + given + "'", kAccepted);
  }
  std::vector<Experiment> found;
  for (const Experiment each : kExperiments) {
    if (is_named("all") || is_named(name(each))) found.push_back(each);
  }
  return found;
}

std::chrono::seconds expected_time(const Reproduction& asked) {
  std::chrono::seconds total{0};
  for (const Experiment each : asked.experiments) total += expected_time(each, asked);
  return total;
}

Reproduced reproduce(const Reproduction& asked, const OnReproduction& on_progress) {
  if (is_there(asked.out) && !is_folder(asked.out)) {
    refuse(asked.out.string(), "a file", "a directory, or a name for a new one");
  }
  const train::RunDirectory directory(asked.out, asked.test_seed.has_value());
  Reproduced result{.figures = {},
                    .claims = directory.file("claims", ".csv"),
                    .page = directory.file("index", ".html")};
  for (const fs::path& file : {result.claims, result.page}) check_can_write(file);
  std::vector<PreparedExperiment> experiments;
  for (const Experiment each : asked.experiments) experiments.push_back(prepared(each, asked));

  for (const fs::path& file : {result.claims, result.page}) fs::remove(file);
  std::chrono::duration<double> done{0};
  const std::chrono::duration<double> total = expected_time(asked);
  for (const PreparedExperiment& each : experiments) {
    const std::chrono::duration<double> expected = each.expected;
    const auto tell = [&](double fraction) {
      if (on_progress) on_progress({each.experiment, (done + fraction * expected) / total});
    };
    tell(0);
    for (Figure& figure : each.figures(tell)) {
      figure.on = each.data;
      result.figures.push_back(write_figure(std::move(figure), directory));
    }
    done += expected;
  }

  const bool about_people = any_about_people(result.figures);
  write_file(result.claims, csv_of(claims_table(result.figures)), about_people);
  write_file(result.page, reproduction_page(asked, experiments, result.figures), about_people);
  return result;
}

}  // namespace ration
