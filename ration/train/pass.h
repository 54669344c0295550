// A pass over a block of people: their losses, the norms of their gradients, and the sum of their
// gradients weighted per person, without ever holding one person's gradient. In a layer that maps
// activations a to W a + b the gradient of a person with error e is e (a, 1)^T, so its square norm
// is |e|^2 (|a|^2 + 1), and a weighted sum over people is one matrix product.
//
// A person's loss and norm depend on nobody else in the block. Everything is float32 but the norms,
// which are summed in double and rounded up: never below the norm of the gradient that add_gradient
// adds. Works on one thread; each thread has its own Pass. docs/math/training.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/data/dataset.h"
#include "ration/train/architecture.h"

namespace ration {

class Pass {
 public:
  // For blocks of up to `most` people.
  Pass(const Architecture& architecture, std::size_t most);

  // The features of these people lie row after row, and stay there until the pass is over; their
  // labels likewise (Labels::of one after the other).
  struct Block {
    std::size_t people;
    const float* features;
    const std::uint16_t* labels;
  };

  // Outputs before the loss: people x outputs, valid until the next call.
  std::span<const float> outputs(std::span<const float> parameters, const Block& block);
  // Each person's loss.
  void losses(std::span<const float> parameters, const Block& block, std::span<float> out);

  // Losses, and gradients kept as activations and errors of this block for the two calls below.
  void gradients(std::span<const float> parameters, const Block& block, std::span<float> losses);
  // Infinity for a gradient with something in it that is no finite number.
  void norms(std::span<float> out) const;
  // sum = sum over people of weights[i] * gradient i, of parameters() entries. Weight 0 leaves a
  // person out whatever their gradient is. Each entry errs by at most people * 2^-24 * sum of
  // |weights[i] gradient i| there, whatever the order of summation.
  void weighted_sum(std::span<const float> weights, std::span<float> sum);

 private:
  // implementation's own
};

}  // namespace ration
