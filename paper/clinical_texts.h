// Sentences that the figures of the clinical experiment share: what was done here, and what of the
// paper is corrected. Pure functions.
#pragma once

#include <string>

#include "paper/clinical_run.h"
#include "paper/statistics.h"

namespace ration {

inline constexpr const char* kIntervals =
    "Numbers in brackets are 95% bootstrap intervals over the people of one run. They leave out "
    "the "
    "noise of training and the starting point, which are fresh in every run.";

// The paper's comparison, and what it cannot tell.
inline constexpr const char* kNoControl =
    "As in the paper, changes are from the epoch at which filtering starts to the last; there is "
    "no "
    "run without filtering beside it, so they are the work of the further epochs as well.";

inline constexpr const char* kLabelCorrection =
    "In the benchmark's alphabetical list, counted from 0, acute myocardial infarction is label 2, "
    "cardiac dysrhythmias 3 and pneumonia 21. The paper counts 9413 heart attacks among the people "
    "in training: 32%, which is the share of label 3; label 2 has 10%. Groups here go by label 2.";

std::string signed_text(const Estimate& estimate);

// Whose data, and how many people.
std::string people_text(const ClinicalSetup& setup);
// The groups' sizes, and which of them are smaller than they were to be.
std::string groups_text(const ClinicalSetup& setup);
// The network, its training and the budget.
std::string training_text(const ClinicalSetup& setup, const ClinicalRun& run);
// "the paper's clip bound", or how many times that.
std::string clip_text(double clip_multiple);

}  // namespace ration
