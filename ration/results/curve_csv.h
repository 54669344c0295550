// A person's curve as CSV: epsilon, lower and upper end of delta for each method (gdp_lower,
// gdp_upper, pld_lower, ...), and the fitted Gaussian curve, blackwell. The file is the caller's,
// so that it can be opened before the work is done.
#pragma once

#include "ration/file/private_file.h"
#include "ration/individual/person_curve.h"

namespace ration::results {

// Writes all of it and commits the file.
void write_curve(PrivateFile& file, const PersonCurve& curve);

}  // namespace ration::results
