// A loop over blocks of people on all cores. Blocks are the same whatever the number of threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "ration/base/people.h"
#include "ration/dataset/dataset.h"
#include "ration/train/network.h"
#include "ration/train/pass.h"

namespace ration::train {

// These people of a data set, from `begin` on.
inline Pass::Block block_of(const People& people, std::size_t begin, std::size_t count) {
  return {.people = count,
          .features = people.features.row(begin).data(),
          .labels = people.labels.of(begin).data()};
}

// Calls body(pass, block, number of its first person) for each block; passes are not shared by
// threads.
template <class Body>
void in_blocks(const Architecture& architecture, const People& people, std::size_t block_people,
               const Body& body) {
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  std::vector<std::optional<Pass>> passes(threads);
  const std::size_t blocks = (people.count() + block_people - 1) / block_people;
  in_parallel(blocks, [&](std::size_t block) {
    std::optional<Pass>& pass = passes[static_cast<std::size_t>(omp_get_thread_num())];
    if (!pass) pass.emplace(architecture, block_people);
    const std::size_t begin = block * block_people;
    body(*pass, block_of(people, begin, std::min(block_people, people.count() - begin)), begin);
  });
}

}  // namespace ration::train
