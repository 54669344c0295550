// So many out of so many, at random by a public seed: each choice is equally likely, and the same
// on every machine. A pure function.
#pragma once

#include <cstddef>
#include <vector>

#include "ration/dataset/public_random.h"

namespace ration {

// `count` different numbers below `from`, in increasing order; all of them if there are no more.
// Selection sampling (Knuth, volume 2, algorithm 3.4.2S): each in turn, with the probability that
// the places left give them.
inline std::vector<std::size_t> selection(std::size_t count, std::size_t from,
                                          PublicRandom random) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < from && chosen.size() < count; ++i) {
    if (random.below(from - i) < count - chosen.size()) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace ration
