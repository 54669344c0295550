// The inner loop of filters under Gaussian DP, in vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ration/control/purse.h"
#include "ration/individual/spend.h"

namespace ration {

// mask[i] becomes 1 where person i takes part, who is then charged, and 0 where not. The purses
// have one place and no kinds. Norms are valid, and nobody has spent more than their budget.
void admit_batch(const SpendRule& rule, const float* norms, const Purses& purses,
                 std::uint8_t* mask, std::size_t count);
void admit_batch(const SpendRule& rule, const double* norms, const Purses& purses,
                 std::uint8_t* mask, std::size_t count);

}  // namespace ration
