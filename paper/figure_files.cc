#include "paper/figure_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "paper/data_table.h"
#include "paper/figure_text.h"
#include "ration/file/private_file.h"
#include "ration/file/public_file.h"

namespace ration {
namespace {

// An empty cell where there is no limit.
DataTable::Cell cell_of(const std::optional<double>& limit) {
  if (limit) return *limit;
  return std::string();
}

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view text, bool about_people) {
  if (!about_people) return write_public(file, text);
  PrivateFile out(file);
  out.write(text);
  out.commit();
}

ReproducedFigure write_figure(Figure figure, const train::RunDirectory& directory) {
  std::vector<std::filesystem::path> files;
  const auto add = [&](const std::string& name, std::string_view ending, const std::string& text) {
    write_file(files.emplace_back(directory.file(name, ending)), text, figure.about_people);
  };
  add(figure.name, ".csv", csv_of(figure.data));
  for (std::size_t i = 0; i < figure.charts.size(); ++i) {
    const bool several = figure.charts.size() > 1;
    add(several ? fmt::format("{}-{}", figure.name, i + 1) : figure.name, ".svg",
        svg(figure.charts[i]));
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

}  // namespace ration
