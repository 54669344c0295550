// Losses and their derivatives by the outputs, in forms that neither overflow nor cancel. Each
// number depends on its own row and on nothing beside it. Pure functions. docs/math/training.md
#pragma once

#include <cstddef>
#include <cstdint>

namespace ration::train {

// A person's label of several. Outputs (people x classes) become errors: softmax - one-hot.
void softmax_loss(float* outputs, const std::uint16_t* labels, std::size_t people,
                  std::size_t classes, float* losses);

// Labels of 0 or 1, people x count, like outputs; the loss is the mean over them. Outputs become
// errors: (sigmoid - label) / count. `terms` is space for people x count numbers.
void binary_loss(float* outputs, const std::uint16_t* labels, std::size_t people, std::size_t count,
                 float* terms, float* losses);

}  // namespace ration::train
