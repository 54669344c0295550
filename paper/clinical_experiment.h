// The paper's clinical experiment, made anew: private training with individual GDP filters at three
// budgets and five clip bounds, and what it did to groups of people. On all cores, for one caller
// at a time. The figures are private. docs/reproduce.md
#pragma once

#include <vector>

#include "paper/clinical_settings.h"
#include "paper/figure.h"
#include "ration/dataset/dataset.h"

namespace ration {

// Refuses data that the groups cannot be drawn from or that nobody can be tested with, and settings
// that check() refuses.
void check(const Dataset& data, const ClinicalSettings& settings);

// clinical-groups; clinical-clipping-2.75, -0.5 and -10; clinical-histograms-1x and -5x. The data
// are those of the MIMIC-III phenotyping benchmark or the synthetic cohort (cohort.h): 25 labels in
// the benchmark's order, and test people. Refuses what check() refuses.
std::vector<Figure> clinical_figures(const Dataset& data, const ClinicalSettings& settings,
                                     const OnFraction& on_fraction = {});

}  // namespace ration
