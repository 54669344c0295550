// The files of a figure: its data, its pictures and its words. What is about people is for its
// owner's eyes alone (private_file.h).
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "paper/figure.h"
#include "ration/train/run_directory.h"

namespace ration {

struct ReproducedFigure {
  Figure figure;
  std::vector<std::filesystem::path> files;
};

// NAME.csv; NAME.svg, or NAME-1.svg, NAME-2.svg, ... if there are several; NAME.md.
ReproducedFigure write_figure(Figure figure, const train::RunDirectory& directory);

bool any_about_people(std::span<const ReproducedFigure> figures);

// What every verdict follows from: a row for each number that a claim was judged by, run by run.
DataTable claims_table(std::span<const ReproducedFigure> figures);

// Whole or not at all, private or not. Throws WriteFailure.
void write_file(const std::filesystem::path& file, std::string_view text, bool about_people);

}  // namespace ration
