// The inner loop of the individual GDP filter, in vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ration/individual/spend.h"

namespace ration {

// Everybody has `budget`, or person i has budgets[i] where that is not null. Norms are valid, and
// nobody has spent more than their budget.
struct Purse {
  Units* spent;
  const Units* budgets;
  Units budget;
};

void admit_batch(const SpendRule& rule, const float* norms, Purse purse, std::uint8_t* mask,
                 std::size_t count);
void admit_batch(const SpendRule& rule, const double* norms, Purse purse, std::uint8_t* mask,
                 std::size_t count);

}  // namespace ration
