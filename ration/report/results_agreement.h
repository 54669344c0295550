// Whether files are of one run. Two runs of the same settings promise the same; what they reached,
// and what it cost people, tells them apart. Pure functions.
#pragma once

#include <string>

#include "ration/report/results.h"
#include "ration/train/settings.h"

namespace ration::results {

// What the settings promise is worked out anew, and must be what the summary says; the epochs must
// be as many as epochs.csv has, which has been read. Refuses others, naming `source`.
void check_agreement(const train::Settings& settings, const Results& results,
                     const std::string& source);

// epochs.csv, named `source`, must end with the test of the summary.
void check_test(const Results& results, const std::string& source);

// private.csv of a run, named `source`, must end with the mean of epsilons.csv.
void check_mean(const Results& results, const std::string& source);

}  // namespace ration::results
