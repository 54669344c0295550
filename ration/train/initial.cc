#include "ration/train/initial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace ration::train {

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

}  // namespace ration::train
