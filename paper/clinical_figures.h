// The figures of the clinical experiment, from its runs. Pure functions, on all cores. What they
// hold is private.
#pragma once

#include <span>

#include "paper/clinical_run.h"
#include "paper/figure.h"

namespace ration::paper {

// What the figures say of their intervals,
inline constexpr const char* kIntervals =
    "Numbers in brackets are 95% bootstrap intervals over the people of one run. They leave out "
    "the noise of training and the starting point, which are fresh in every run.";
// of the paper's comparison and what it cannot tell,
inline constexpr const char* kNoControl =
    "As in the paper, changes are from the epoch at which filtering starts to the last; there is "
    "no run without filtering beside it, so they are the work of the further epochs as well.";
// and of what is corrected.
inline constexpr const char* kLabelCorrection =
    "In the benchmark's alphabetical list, counted from 0, acute myocardial infarction is label 2, "
    "cardiac dysrhythmias 3 and pneumonia 21. The paper counts 9413 heart attacks among the people "
    "in training: 32%, which is the share of label 3; label 2 has 10%. Groups here go by label 2.";

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

}  // namespace ration::paper
