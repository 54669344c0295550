#include "ration/report/figure_files.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "ration/data/private_file.h"
#include "ration/data/public_file.h"
#include "ration/report/data_table.h"
#include "ration/report/figure_text.h"

namespace ration {

void write_file(const std::filesystem::path& file, std::string_view text, bool about_people) {
  if (!about_people) return write_public(file, text);
  PrivateFile out(file);
  out.write(text);
  out.commit();
}

ReproducedFigure write_figure(Figure figure, const RunDirectory& directory) {
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

}  // namespace ration
