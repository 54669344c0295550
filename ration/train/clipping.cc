#include "ration/train/clipping.h"

namespace ration::train {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float up(double x) {
  const auto nearest = static_cast<float>(x);
  return nearest < x ? std::nextafter(nearest, kInfinity) : nearest;
}
float down(double x) {
  const auto nearest = static_cast<float>(x);
  return nearest > x ? std::nextafter(nearest, -kInfinity) : nearest;
}

}  // namespace

// The clip bound as a float is not below the true one, which charges count it as.
Clipping::Clipping(Clip clip, double slack)
    : clip_(up(clip)), slack_(up(slack)), most_(down(clip - slack)) {}

}  // namespace ration::train
