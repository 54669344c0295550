#include "ration/train/network.h"

#include <string>

#include "ration/base/error.h"

namespace ration::train {

Network::Network(const Architecture& architecture, std::span<const float> parameters)
    : architecture_(architecture) {
  check(architecture);
  layers_.resize(architecture.layers());
  set(parameters);
}

void Network::set(std::span<const float> parameters) {
  if (parameters.size() != architecture_.parameters()) {
    refuse("number of parameters", static_cast<double>(parameters.size()),
           "as many as the architecture has: " + std::to_string(architecture_.parameters()));
  }
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::size_t in = architecture_.width_in(l), out = architecture_.width_out(l);
    const float* weights = parameters.data() + architecture_.offset(l);
    layers_[l].forwards.lay_out_transpose(weights, out, in);
    if (l > 0) layers_[l].backwards.lay_out(weights, out, in);
    layers_[l].biases.assign(weights + out * in, weights + (in + 1) * out);
  }
}

}  // namespace ration::train
