#include "ration/model/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "ration/base/error.h"

namespace ration {

std::size_t Architecture::offset(std::size_t layer) const {
  std::size_t total = 0;
  for (std::size_t l = 0; l < layer; ++l) total += (width_in(l) + 1) * width_out(l);
  return total;
}

void check(const Architecture& architecture) {
  constexpr std::size_t kMost = 1'000'000'000;
  constexpr std::string_view kAccepted = "a whole number from 1 to 1e9";
  const auto check_width = [&](const std::string& what, std::size_t width) {
    if (width == 0 || width > kMost) refuse(what, static_cast<double>(width), kAccepted);
  };
  check_width("inputs", architecture.inputs);
  check_width("outputs", architecture.outputs);
  for (std::size_t l = 0; l < architecture.hidden.size(); ++l) {
    check_width("width of hidden layer " + std::to_string(l + 1), architecture.hidden[l]);
  }
  std::size_t total = 0;  // below 2^61: no layer adds more than 10^18 + 10^9 to at most 10^9
  for (std::size_t l = 0; l < architecture.layers(); ++l) {
    total += (architecture.width_in(l) + 1) * architecture.width_out(l);
    if (total > kMost) {
      refuse("number of parameters", "more than 1e9", "narrower or fewer layers");
    }
  }
}

std::string_view name(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "relu";
    case Activation::tanh:
      return "tanh";
  }
  return "";
}

std::string_view name(Loss loss) {
  switch (loss) {
    case Loss::softmax:
      return "softmax";
    case Loss::binary:
      return "binary";
  }
  return "";
}

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

std::vector<float> initial_parameters(const Architecture& architecture,
                                      const SecretStream& stream) {
  check(architecture);
  std::vector<float> parameters(architecture.parameters());
  std::array<std::uint64_t, 1024> bits;
  for (std::size_t layer = 0; layer < architecture.layers(); ++layer) {
    const double bound = 1 / std::sqrt(static_cast<double>(architecture.width_in(layer)));
    const std::size_t end = architecture.offset(layer + 1);
    for (std::size_t i = architecture.offset(layer); i < end; i += bits.size()) {
      const std::span<std::uint64_t> drawn(bits.data(), std::min(bits.size(), end - i));
      stream.fill(Purpose::initial_parameters, 0, i, drawn);
      for (std::size_t k = 0; k < drawn.size(); ++k) {
        const double centred = (static_cast<double>(drawn[k] >> 40) + 0.5) * 0x1p-23 - 1;
        parameters[i + k] = static_cast<float>(bound * centred);
      }
    }
  }
  return parameters;
}

}  // namespace ration
