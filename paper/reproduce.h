// The paper's experiments made anew, into a directory: for each figure its data (NAME.csv), its
// pictures (NAME.svg, or NAME-1.svg, NAME-2.svg, ...) and what came out in words (NAME.md); and at
// the end claims.csv, the numbers that verdicts follow from, and index.html, one page with all of
// it. What is about people is for its owner's eyes alone (atomic_file.h). docs/reproduce.md
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paper/figure.h"
#include "ration/results/directory.h"

namespace ration::paper {

enum class Experiment { gdp_vs_rdp, mnist, clinical, tight_filter };
std::string_view name(Experiment experiment);

// In the order of the paper and each once, however often it was named; "all" names all of them.
// Refuses other names, and an empty list.
std::vector<Experiment> experiments_named(std::span<const std::string> names);

struct Reproduction {
  std::vector<Experiment> experiments;
  std::filesystem::path out;
  bool quick = false;  // a small version of each experiment
  // The user's own files; by default Fashion-MNIST and the synthetic cohort (experiments.h).
  std::optional<std::filesystem::path> mnist = {}, mimic = {};
  // Noise from a seed: a test run. The name of everything it writes says that it is not private.
  std::optional<std::uint64_t> test_seed = {};
};

// About how long it takes on this machine, found out by a short measurement where that is worth it.
// In words: "about 20 seconds", never further off than its last digit.
std::chrono::seconds expected_time(const Reproduction& asked);
std::string in_words(std::chrono::seconds time);

// Told as the work goes on: what is being done, and how much of everything is done, from 0 to 1 by
// expected times. Nothing in it depends on people's data.
struct ReproductionProgress {
  Experiment experiment;
  double fraction;
};
using OnReproduction = std::function<void(const ReproductionProgress&)>;

struct ReproducedFigure {
  Figure figure;
  std::vector<std::filesystem::path> files;
};

// NAME.csv; NAME.svg, or NAME-1.svg, NAME-2.svg, ... if there are several; NAME.md.
ReproducedFigure write_figure(Figure figure, const results::RunDirectory& directory);

bool any_about_people(std::span<const ReproducedFigure> figures);

// What every verdict follows from: a row for each number that a claim was judged by, run by run.
DataTable claims_table(std::span<const ReproducedFigure> figures);

struct Reproduced {
  std::vector<ReproducedFigure> figures;
  std::filesystem::path claims, page;
};

// Refuses, before any work is done, a directory that cannot be written to, and data that cannot be
// read. The files of an experiment are written when it is done, claims and page at the end: those
// that stand there from before are gone until then.
Reproduced reproduce(const Reproduction& asked, const OnReproduction& on_progress = {});

}  // namespace ration::paper
