// The inner loops of a pass: losses and their derivatives by the outputs, in forms that neither
// overflow nor cancel, and square norms of rows. Each number depends on its own row and on nothing
// beside it. In vector instructions; pure functions. docs/math/training.md
#pragma once

#include <cstddef>
#include <cstdint>

namespace ration {

// A person's label of several. Outputs (people x classes) become errors: softmax - one-hot.
void softmax_loss(float* outputs, const std::uint16_t* labels, std::size_t people,
                  std::size_t classes, float* losses);

// Labels of 0 or 1, people x count, like outputs; the loss is the mean over them. Outputs become
// errors: (sigmoid - label) / count. `terms` is space for people x count numbers.
void binary_loss(float* outputs, const std::uint16_t* labels, std::size_t people, std::size_t count,
                 float* terms, float* losses);

// out[i] = |row i|^2, summed in double. Squares of floats are exact there, so the relative error is
// that of fewer than `width` additions. Not finite if something in the row is
// not.
void square_norms(const float* rows, std::size_t count, std::size_t width, double* out);

// The sum of a[i] b[i] in double, where these products are exact: the error is that of fewer than
// `width` additions, a part of the sum of |a[i] b[i]|.
double inner_product(const float* a, const float* b, std::size_t width);

}  // namespace ration
