// A loop over people on all cores. Which core does which person changes nothing in what is
// computed.
#pragma once

#include <cstddef>
#include <exception>

#include "ration/numeric/float_environment.h"

namespace ration {

// Calls body(i) for i = 0 .. count-1, in any order and in the default float environment; the first
// exception is thrown again at the end.
template <class Body>
void in_parallel(std::size_t count, const Body& body) {
  std::exception_ptr failure;
#pragma omp parallel
  {
    const DefaultFloatEnvironment environment;  // each thread has its own
#pragma omp for schedule(dynamic, 16)
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

}  // namespace ration
