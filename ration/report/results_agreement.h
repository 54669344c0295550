// Whether the settings of a run are those that its results were made with. Pure functions.
#pragma once

#include <string>

#include "ration/report/results.h"
#include "ration/train/settings.h"

namespace ration {

// What the settings promise is worked out anew, and must be what the summary says; the epochs must
// be as many as epochs.csv has, which has been read. Refuses others, naming `source`.
void check_agreement(const Settings& settings, const Results& results, const std::string& source);

}  // namespace ration
