// Loops over people on all cores, each thread in the default float environment. What is done for
// one person must touch no other, so that the number of threads changes nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string_view>

#include "ration/base/float_environment.h"

namespace ration {

// Refuses a list, called `what`, that does not have an entry for each person.
void check_people(std::size_t people, std::size_t given, std::string_view what);

// Calls body(i) for i = 0 .. count-1, in any order; the first exception is thrown again at the end.
// For bodies of a microsecond or more.
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

// Calls work(from, count) for one block of people after the other. For bodies of nanoseconds, which
// must not throw.
inline constexpr std::size_t kPeopleInBlock = 16384;
template <class Work>
void for_blocks_of_people(std::size_t people, const Work& work) {
  constexpr std::size_t kBlock = kPeopleInBlock;
  const std::size_t blocks = (people + kBlock - 1) / kBlock;
#pragma omp parallel for schedule(static) if (blocks > 4)
  for (std::size_t b = 0; b < blocks; ++b) {
    const DefaultFloatEnvironment environment;  // each thread has its own
    work(b * kBlock, std::min(kBlock, people - b * kBlock));
  }
}

}  // namespace ration
