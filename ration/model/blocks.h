// Loops over blocks on all cores: blocks of records, and blocks of people with all of their
// records. Blocks are the same whatever the number of threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ration/base/people.h"
#include "ration/dataset/dataset.h"
#include "ration/model/network.h"
#include "ration/model/pass.h"

namespace ration {

// These records of a data set, from `begin` on.
inline Pass::Block block_of(const People& people, std::size_t begin, std::size_t count) {
  return {.people = count,
          .features = people.features.row(begin).data(),
          .labels = people.labels.of(begin).data()};
}

// As many people from `first` on and before `end` as have at most so many records together: one at
// least, for nobody has more.
inline std::size_t people_in_block(const People& people, std::size_t first, std::size_t end,
                                   std::size_t records) {
  if (!people.together()) return std::min(records, end - first);
  std::size_t count = 1;
  while (first + count < end &&
         people.first_record(first + count + 1) - people.first_record(first) <= records) {
    ++count;
  }
  return count;
}

// Calls body(pass, range) for ranges 0, 1, ...; passes are not shared by threads.
template <class Body>
void with_passes(const Architecture& architecture, std::size_t most, std::size_t ranges,
                 const Body& body) {
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  std::vector<std::optional<Pass>> passes(threads);
  in_parallel(ranges, [&](std::size_t range) {
    std::optional<Pass>& pass = passes[static_cast<std::size_t>(omp_get_thread_num())];
    if (!pass) pass.emplace(architecture, most);
    body(*pass, range);
  });
}

// Calls body(pass, block, number of its first record) for each block.
template <class Body>
void in_blocks(const Architecture& architecture, const People& people, std::size_t block_records,
               const Body& body) {
  const std::size_t records = people.records();
  with_passes(architecture, block_records, (records + block_records - 1) / block_records,
              [&](Pass& pass, std::size_t block) {
                const std::size_t begin = block * block_records;
                body(pass, block_of(people, begin, std::min(block_records, records - begin)),
                     begin);
              });
}

// What each of these people has, from `first` on, of what their records have: the mean.
inline void means_of_records(const People& people, std::size_t first,
                             std::span<const float> of_records, std::span<float> of_people) {
  std::size_t record = 0;
  for (std::size_t i = 0; i < of_people.size(); ++i) {
    const std::size_t count = people.records_of(first + i);
    double sum = 0;
    for (std::size_t r = 0; r < count; ++r) sum += double{of_records[record++]};
    of_people[i] = static_cast<float>(sum / static_cast<double>(count));
  }
}

}  // namespace ration
