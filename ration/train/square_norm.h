// Square norms of rows of float32. Pure functions.
#pragma once

#include <cstddef>

namespace ration::train {

// out[i] = |row i|^2, summed in double. Squares of floats are exact there, so the relative error is
// that of fewer than `width` additions. A row's result depends on nothing beside it. Not finite if
// something in the row is not.
void square_norms(const float* rows, std::size_t count, std::size_t width, double* out);

}  // namespace ration::train
