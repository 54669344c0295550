// Loops over people, in blocks, on all cores. A block's work must touch nobody outside it, so that
// the number of threads changes nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "ration/numeric/float_environment.h"

namespace ration {

// Refuses a list, called `what`, that does not have an entry for each person.
void check_people(std::size_t people, std::size_t given, std::string_view what);

// work(from, count) must not throw.
template <class Work>
void for_blocks_of_people(std::size_t people, const Work& work) {
  constexpr std::size_t kBlock = 16384;
  const std::size_t blocks = (people + kBlock - 1) / kBlock;
#pragma omp parallel for schedule(static) if (blocks > 4)
  for (std::size_t b = 0; b < blocks; ++b) {
    const DefaultFloatEnvironment environment;  // each thread has its own
    work(b * kBlock, std::min(kBlock, people - b * kBlock));
  }
}

}  // namespace ration
