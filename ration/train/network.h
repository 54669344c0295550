// An architecture with its parameters, laid out for passes over people. Nothing of it changes while
// passes run, so all threads share one. docs/math/training.md
#pragma once

#include <span>
#include <vector>

#include "ration/train/architecture.h"
#include "ration/train/product.h"

namespace ration::train {

class Network {
 public:
  // Refuses an architecture that check() refuses, and any other number of parameters than its own.
  Network(const Architecture& architecture, std::span<const float> parameters);

  // After a step: the same architecture, new parameters. Not while a pass runs.
  void set(std::span<const float> parameters);

  const Architecture& architecture() const { return architecture_; }

  // Of a layer: what turns activations into the next ones, what turns errors into those of the
  // layer before (not for layer 0), and the biases.
  const Panels& forwards(std::size_t layer) const { return layers_[layer].forwards; }
  const Panels& backwards(std::size_t layer) const { return layers_[layer].backwards; }
  const float* biases(std::size_t layer) const { return layers_[layer].biases.data(); }

 private:
  struct Layer {
    Panels forwards, backwards;
    std::vector<float> biases;
  };

  Architecture architecture_;
  std::vector<Layer> layers_;
};

}  // namespace ration::train
