#include "ration/train/architecture.h"

#include <string>

#include "ration/base/error.h"

namespace ration::train {

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

}  // namespace ration::train
