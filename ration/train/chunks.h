// A loop over chunks of a few microseconds each, on all cores when that pays.
#pragma once

#include <cstddef>

#include "ration/base/people.h"

namespace ration::train {

// Calls body(i) for i = 0 .. count-1. Waking the other cores takes as long as eight chunks.
template <class Body>
void over_chunks(std::size_t count, const Body& body) {
  if (count > 8) return in_parallel(count, body);
  const DefaultFloatEnvironment environment;
  for (std::size_t i = 0; i < count; ++i) body(i);
}

}  // namespace ration::train
