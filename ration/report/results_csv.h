// The CSV files of a directory of results. Each function adds what its file says to results whose
// summary has been read, and refuses a file that does not belong to them. Safe from any thread.
#pragma once

#include "ration/report/results.h"
#include "ration/report/results_rows.h"

namespace ration::results {

// epochs.csv of a run: moments, labels of groups, and what the score is called.
void read_epochs(ResultsRows rows, Results& results);
// private.csv, after epochs.csv of a run; of an account it has the moments.
void read_private(ResultsRows rows, Results& results);
// epsilons.csv; quantiles must be those of the summary.
void read_epsilons(ResultsRows rows, Results& results);
// followed.csv, after epsilons.csv, of those people who are in `followed` by now.
void read_followed(ResultsRows rows, Results& results);

}  // namespace ration::results
