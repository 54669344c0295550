// What is trained, as plain data: layers of weights and biases with an activation between them, and
// the loss on top. No hidden layer makes it a linear model.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "ration/model/product.h"
#include "ration/noise/secret_stream.h"

namespace ration {

enum class Activation { relu, tanh };
// softmax: cross-entropy of one label of several. binary: cross-entropy of each label, averaged
// over labels.
enum class Loss { softmax, binary };

struct Architecture {
  std::size_t inputs, outputs;
  std::vector<std::size_t> hidden = {};
  Activation activation = Activation::relu;
  Loss loss = Loss::softmax;

  std::size_t layers() const { return hidden.size() + 1; }
  // Of layer 0, 1, ..., layers() - 1.
  std::size_t width_in(std::size_t layer) const { return layer == 0 ? inputs : hidden[layer - 1]; }
  std::size_t width_out(std::size_t layer) const {
    return layer == hidden.size() ? outputs : hidden[layer];
  }
  // Where a layer starts among all parameters: its weights, width_out rows of width_in, then its
  // biases. offset(layers()) is the number of parameters.
  std::size_t offset(std::size_t layer) const;
  std::size_t parameters() const { return offset(layers()); }
};

// Refuses no inputs or outputs, a layer of no width, and more than 10^9 parameters.
void check(const Architecture& architecture);

std::string_view name(Activation activation);
std::string_view name(Loss loss);

// An architecture with its parameters, laid out for passes over people. Nothing of it changes while
// passes run, so all threads share one. docs/math/training.md

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

// What training starts from.

// Weights and biases uniform between -1/sqrt(width_in) and 1/sqrt(width_in) of their layer, as
// PyTorch's Linear has them. Drawn on a grid of 2^24 values, symmetric around 0.
std::vector<float> initial_parameters(const Architecture& architecture, const SecretStream& stream);

}  // namespace ration
