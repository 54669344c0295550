// The figures of the clinical experiment, from its runs. Pure functions, on all cores. What they
// hold is private.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ration/report/clinical_run.h"
#include "ration/report/figure.h"

namespace ration {

// Losses and mean epsilons of the groups before filtering and after. The runs are alike but for
// their noise: pictures are of the first, the data and the claims of all.
Figure groups_figure(const ClinicalSetup& setup, std::span<const ClinicalRun> runs);

// AUC and active people over time, a run for each of kClipMultiples. `best` are the runs with the
// paper's noise and the best clip bound; none of them for other noise.
Figure clipping_figure(const ClinicalSetup& setup, const ClinicalTarget& target,
                       std::span<const ClinicalRun> runs, std::span<const ClinicalRun> best);

// Individual epsilons of the groups when filtering starts; with the best clip bound or with the
// largest.
Figure histograms_figure(const ClinicalSetup& setup, const ClinicalRun& run);

}  // namespace ration
