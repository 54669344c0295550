#include "paper/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "paper/experiments.h"
#include "paper/pace.h"
#include "paper/reproduce_page.h"
#include "ration/base/error.h"
#include "ration/file/atomic_file.h"
#include "ration/file/open_file.h"
#include "ration/results/directory.h"

namespace ration::paper {
namespace {

namespace fs = std::filesystem;

constexpr std::array kExperiments = {Experiment::gdp_vs_rdp, Experiment::mnist,
                                     Experiment::clinical, Experiment::tight_filter};

// Finds out now what would otherwise fail after the work is done.
void check_can_write(const fs::path& file) { const PrivateFile there(file); }

// An empty cell where there is no limit.
DataTable::Cell cell_of(const std::optional<double>& limit) {
  if (limit) return *limit;
  return std::string();
}

void write_file(const fs::path& file, std::string_view text, bool about_people) {
  using Readers = AtomicFile::Readers;
  AtomicFile out(file, about_people ? Readers::owner : Readers::everybody);
  out.write(text);
  out.commit();
}

}  // namespace

ReproducedFigure write_figure(Figure figure, const results::RunDirectory& directory) {
  std::vector<fs::path> files;
  const auto add = [&](const std::string& name, std::string_view ending, const std::string& text) {
    write_file(files.emplace_back(directory.file(name, ending)), text, figure.about_people);
  };
  add(figure.name, ".csv", csv_of(figure.data));
  for (std::size_t i = 0; i < figure.charts.size(); ++i) {
    const bool several = figure.charts.size() > 1;
    const std::string name = several ? fmt::format("{}-{}", figure.name, i + 1) : figure.name;
    add(name, ".svg", svg(figure.charts[i]));
    add(name, ".pdf", pdf(figure.charts[i]));
  }
  add(figure.name, ".md", markdown_of(figure));
  return {.figure = std::move(figure), .files = std::move(files)};
}

bool any_about_people(std::span<const ReproducedFigure> figures) {
  return std::any_of(figures.begin(), figures.end(),
                     [](const ReproducedFigure& each) { return each.figure.about_people; });
}

DataTable claims_table(std::span<const ReproducedFigure> figures) {
  DataTable table = {.columns = {"figure", "statement", "run", "number", "value", "lower", "upper",
                                 "above", "below", "held"},
                     .rows = {}};
  for (const ReproducedFigure& made : figures) {
    for (const Claim& claim : made.figure.claims) {
      for (const Evidence& one : claim.evidence) {
        table.rows.push_back({made.figure.name, claim.statement, static_cast<std::int64_t>(one.run),
                              one.what, one.number.value, one.number.low, one.number.high,
                              cell_of(one.above), cell_of(one.below),
                              std::int64_t{agrees(one) ? 1 : 0}});
      }
    }
  }
  return table;
}

std::string_view name(Experiment experiment) {
  switch (experiment) {
    case Experiment::gdp_vs_rdp:
      return "gdp-vs-rdp";
    case Experiment::mnist:
      return "mnist";
    case Experiment::clinical:
      return "clinical";
    case Experiment::tight_filter:
      return "tight-filter";
  }
  return {};
}

std::vector<Experiment> experiments_named(std::span<const std::string> names) {
  constexpr std::string_view kAccepted = "gdp-vs-rdp, mnist, clinical, tight-filter or all";
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
  std::chrono::duration<double> total{0};
  for (const Experiment each : asked.experiments) total += expected_time(each, asked);
  // What is done in a moment anywhere is not worth measuring.
  if (total > std::chrono::seconds(5)) total *= pace();
  return std::chrono::ceil<std::chrono::seconds>(total);
}

std::string in_words(std::chrono::seconds time) {
  const auto seconds = static_cast<double>(time.count());
  if (seconds < 10) return "a few seconds";
  if (seconds < 100) return fmt::format("about {:.0f} seconds", 5 * std::round(seconds / 5));
  if (seconds < 600) return fmt::format("about {} minutes", std::round(seconds / 30) / 2);
  if (seconds < 5400) return fmt::format("about {:.0f} minutes", std::round(seconds / 60));
  return fmt::format("about {:.1f} hours", seconds / 3600);
}

Reproduced reproduce(const Reproduction& asked, const OnReproduction& on_progress) {
  if (is_there(asked.out) && !is_folder(asked.out)) {
    refuse(asked.out.string(), "a file", "a directory, or a name for a new one");
  }
  const results::RunDirectory directory(asked.out, asked.test_seed.has_value());
  Reproduced result{.figures = {},
                    .claims = directory.file("claims", ".csv"),
                    .page = directory.file("index", ".html")};
  for (const fs::path& file : {result.claims, result.page}) check_can_write(file);
  std::vector<PreparedExperiment> experiments;
  for (const Experiment each : asked.experiments) experiments.push_back(prepared(each, asked));

  for (const fs::path& file : {result.claims, result.page}) fs::remove(file);
  std::chrono::duration<double> done{0};
  std::chrono::duration<double> total{0};
  for (const PreparedExperiment& each : experiments) total += each.expected;
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

}  // namespace ration::paper
