// A pass over a block of people: their losses, the norms of their gradients, and the sum of their
// gradients weighted per person, without ever holding one person's gradient. In a layer that maps
// activations a to W a + b the gradient of a person with error e is e (a, 1)^T, so its square norm
// is |e|^2 (|a|^2 + 1), and a weighted sum over people is one matrix product. Where people have
// several records, a pass is over a block of records, and norms_of_people() puts them together.
//
// A person's outputs, loss and norm depend on nobody else in the block: they are the same to the
// last bit at any place of any block. Everything is float32 but the norms, which are summed in
// double and rounded up: never below the norm of e (a, 1)^T as weighted_sum uses it. Works on one
// thread; each thread has its own Pass. docs/math/training.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ration/dataset/dataset.h"
#include "ration/model/network.h"
#include "ration/model/product.h"

namespace ration {

// What the norms of a person's records may come to together, as a multiple of that person's norm.
inline constexpr double kMostSpread = 8;

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

  // Networks are of this architecture; blocks of more people than `most` are refused.
  // Outputs before the loss: people x outputs, valid until the next call.
  std::span<const float> outputs(const Network& network, const Block& block);
  // Each person's loss of the outputs just computed, which are gone afterwards.
  void losses_of_outputs(const Block& block, std::span<float> out) { apply_loss(block, out); }
  // Both at once. A loss that is no number is infinity.
  void losses(const Network& network, const Block& block, std::span<float> out);

  // Losses, and gradients kept as activations and errors of this block for the calls below.
  void gradients(const Network& network, const Block& block, std::span<float> losses);
  // Infinity for a gradient that is not finite, whose norm is above 1e25, or with activations (or
  // features) in it of a norm above 1e25.
  void norms(std::span<float> out) const;
  // The same of people who have one or several records. The records of person i of this block are
  // begins[i] to begins[i + 1], counted from begins[0]: their gradient is the sum over them. Never
  // below its norm, nor below what all of their norms together are divided by kMostSpread, so that
  // records that cancel out do not count for nothing: rounding does not cancel. Infinity also for
  // somebody of several records with activations of a norm above 1e23.
  void norms_of_people(std::span<const std::size_t> begins, std::span<float> out) const;
  // The sum over people of weights[i] * gradient i, of parameters() entries, in place of what `sum`
  // holds or added to it. Weight 0 leaves a
  // person out whatever their gradient is; a norm of infinity does too. Each entry errs by at most
  // (people + 2) * 2^-24 * (1 + 2^-10) * sum of |weights[i] gradient i| there, for blocks of up to
  // 8192 people, and by what underflow takes (docs/math/training.md).
  enum class Onto { nothing, sum };
  void weighted_sum(std::span<const float> weights, std::span<float> sum,
                    Onto onto = Onto::nothing);

 private:
  void forwards(const Network& network, const Block& block);
  // Turns outputs into errors of the last layer.
  void apply_loss(const Block& block, std::span<float> losses);
  void backwards(const Network& network);
  float norm_of_sum(std::size_t first, std::size_t records) const;
  const float* entering(std::size_t layer) const {
    return layer == 0 ? features_ : activations_[layer - 1].data();
  }

  Architecture architecture_;
  std::size_t most_, people_ = 0;
  const float* features_ = nullptr;
  std::vector<std::vector<float>> activations_;  // of each hidden layer
  std::vector<std::vector<float>> errors_;       // of each layer; of the last, its outputs first
  std::vector<float> norms_, terms_, weights_;
  OuterProducts products_;
};

}  // namespace ration
