// A loop over people on all cores. Which core does which person changes nothing in what is
// computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>

#include "ration/numeric/float_environment.h"

namespace ration {

// Calls body(i) for i = 0 .. count-1, in any order and in the default float environment; the first
// exception is thrown again at the end. For bodies of a microsecond or more.
template <class Body>
void in_parallel(std::size_t count, const Body& body) {
  std::exception_ptr failure;
#pragma omp parallel
  {
    const DefaultFloatEnvironment environment;  // each thread has its own
#pragma omp for schedule(dynamic)
    for (std::size_t i = 0; i < count; ++i) {
      try {
        body(i);
      } catch (...) {
#pragma omp critical(ration_failure)
        if (!failure) failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

// The same for shorter bodies, which are handed out by the dozen.
template <class Body>
void in_parallel_by_dozens(std::size_t count, const Body& body) {
  constexpr std::size_t kDozens = 48;
  in_parallel((count + kDozens - 1) / kDozens, [&](std::size_t block) {
    const std::size_t end = std::min(count, (block + 1) * kDozens);
    for (std::size_t i = block * kDozens; i < end; ++i) body(i);
  });
}

}  // namespace ration
