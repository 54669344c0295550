// Everybody at once, on all cores: losses, norms of gradients, and the mean gradient of training
// without privacy, which private training is compared with. Results do not depend on the number of
// threads. Beside the data: a block of activations and errors for each thread.
// docs/math/training.md
#pragma once

#include <span>
#include <vector>

#include "ration/dataset/dataset.h"
#include "ration/model/network.h"

namespace ration {

// People in a block, or records where they are taken together: chosen by measurement
// (docs/performance.md), in favour of fewer. The bound on the rounding of a block's weighted sum
// grows with it.
inline constexpr std::size_t kBlockPeople = 128;

// Refuses people whose features or labels do not fit the inputs, outputs and loss.
void check(const Architecture& architecture, const People& people);

// People whose records are taken together are dealt with in ranges of so many, whose blocks are of
// up to kBlockPeople records.
inline constexpr std::size_t kRangeTogether = 32;

// Of each person: as Pass has them or, of several records, the mean of their losses and the norm of
// their sum.
struct LossesAndNorms {
  std::vector<float> losses, norms;
};
LossesAndNorms gradient_norms(const Network& network, const People& people);
LossesAndNorms gradient_norms(const Architecture& architecture, std::span<const float> parameters,
                              const People& people);

// The sum of all records' gradients divided by the number of people, without any gradient that is
// not finite. Not private. Holds up to 16 vectors of as many entries as there are parameters.
std::vector<float> mean_gradient(const Network& network, const People& people);
std::vector<float> mean_gradient(const Architecture& architecture,
                                 std::span<const float> parameters, const People& people);

}  // namespace ration
