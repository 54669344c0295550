// What training starts from.
#pragma once

#include <vector>

#include "ration/train/architecture.h"
#include "ration/train/secret_stream.h"

namespace ration::train {

// Weights and biases uniform between -1/sqrt(width_in) and 1/sqrt(width_in) of their layer, as
// PyTorch's Linear has them. Drawn on a grid of 2^24 values, symmetric around 0.
std::vector<float> initial_parameters(const Architecture& architecture, const SecretStream& stream);

}  // namespace ration::train
