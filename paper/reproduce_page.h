// The page of a reproduction: one HTML file that needs nothing else, on paper, on a phone and read
// aloud. Pure functions.
#pragma once

#include <span>
#include <string>

#include "paper/experiments.h"

namespace ration::paper {

// Links to the files of each figure, which lie beside the page.
std::string reproduction_page(const Reproduction& asked,
                              std::span<const PreparedExperiment> experiments,
                              std::span<const ReproducedFigure> figures);

}  // namespace ration::paper
