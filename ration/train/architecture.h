// What is trained, as plain data: layers of weights and biases with an activation between them, and
// the loss on top. No hidden layer makes it a linear model.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ration::train {

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

}  // namespace ration::train
