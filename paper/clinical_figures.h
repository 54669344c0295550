// The figures of the clinical experiment, from its runs. Pure functions, on all cores. What they
// hold is private.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "paper/clinical_run.h"
#include "paper/figure.h"

namespace ration {

// Losses and mean epsilons of the groups before filtering and after. The runs are alike but for
// their noise: pictures are of the first, the data and the claims of all.
Figure groups_figure(const ClinicalSetup& setup, std::span<const ClinicalRun> runs);

// AUC and active people over time, for each of kClipMultiples. Runs with the same clip bound come
// one after the other (runs_at): pictures are of the first of them, the data and the claims of all.
Figure clipping_figure(const ClinicalSetup& setup, const ClinicalTarget& target,
                       std::span<const ClinicalRun> runs);

// Individual epsilons of the groups when filtering starts, with the paper's clip bound or with the
// largest. Pictures and data are of the first run, the claim of all.
Figure histograms_figure(const ClinicalSetup& setup, std::span<const ClinicalRun> runs);

}  // namespace ration
