// A network written down plainly, in double and one person at a time, to compare passes with.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "ration/dataset/dataset.h"
#include "ration/model/network.h"

namespace ration {

class PlainNetwork {
 public:
  PlainNetwork(const Architecture& architecture, std::span<const float> parameters)
      : architecture_(architecture), parameters_(parameters.begin(), parameters.end()) {}

  double loss(std::span<const float> features, std::span<const std::uint16_t> labels) const {
    const std::vector<double> z = activations(features).back();
    double sum = 0;
    if (architecture_.loss == Loss::softmax) {
      for (const double x : z) sum += std::exp(x);
      return std::log(sum) - z[labels[0]];
    }
    for (std::size_t k = 0; k < z.size(); ++k) {
      const double p = 1 / (1 + std::exp(-z[k]));
      sum -= labels[k] != 0 ? std::log(p) : std::log(1 - p);
    }
    return sum / static_cast<double>(z.size());
  }

  // By the chain rule, entry by entry.
  std::vector<double> gradient(std::span<const float> features,
                               std::span<const std::uint16_t> labels) const {
    const std::vector<std::vector<double>> a = activations(features);
    std::vector<double> error = a.back();
    double sum = 0;
    for (double x : error) sum += std::exp(x);
    for (std::size_t k = 0; k < error.size(); ++k) {
      const double z = error[k];
      error[k] = architecture_.loss == Loss::softmax
                     ? std::exp(z) / sum - (k == labels[0] ? 1 : 0)
                     : (1 / (1 + std::exp(-z)) - labels[k]) / static_cast<double>(error.size());
    }
    std::vector<double> result(parameters_.size());
    for (std::size_t l = architecture_.layers(); l-- > 0;) {
      const std::size_t in = architecture_.width_in(l), out = architecture_.width_out(l);
      const std::size_t start = architecture_.offset(l);
      std::vector<double> before(in);
      for (std::size_t r = 0; r < out; ++r) {
        for (std::size_t c = 0; c < in; ++c) {
          result[start + r * in + c] = error[r] * a[l][c];
          before[c] += error[r] * parameters_[start + r * in + c] * slope(a[l][c]);
        }
        result[start + out * in + r] = error[r];
      }
      error = before;
    }
    return result;
  }

  // The same by central differences of the loss.
  std::vector<double> differences(std::span<const float> features,
                                  std::span<const std::uint16_t> labels) const {
    constexpr double kStep = 1e-5;
    PlainNetwork moved = *this;
    std::vector<double> result;
    for (double& p : moved.parameters_) {
      const double here = p;
      p = here + kStep;
      const double above = moved.loss(features, labels);
      p = here - kStep;
      result.push_back((above - moved.loss(features, labels)) / (2 * kStep));
      p = here;
    }
    return result;
  }

 private:
  double value(double x) const {
    return architecture_.activation == Activation::relu ? std::fmax(x, 0) : std::tanh(x);
  }
  double slope(double a) const {
    return architecture_.activation == Activation::relu ? (a > 0 ? 1 : 0) : 1 - a * a;
  }

  // What enters each layer, and the outputs.
  std::vector<std::vector<double>> activations(std::span<const float> features) const {
    std::vector<std::vector<double>> a = {{features.begin(), features.end()}};
    for (std::size_t l = 0; l < architecture_.layers(); ++l) {
      const std::size_t in = architecture_.width_in(l), out = architecture_.width_out(l);
      const double* weights = parameters_.data() + architecture_.offset(l);
      std::vector<double> next(weights + in * out, weights + in * out + out);
      for (std::size_t r = 0; r < out; ++r) {
        for (std::size_t c = 0; c < in; ++c) next[r] += weights[r * in + c] * a[l][c];
        if (l + 1 < architecture_.layers()) next[r] = value(next[r]);
      }
      a.push_back(next);
    }
    return a;
  }

  Architecture architecture_;
  std::vector<double> parameters_;
};

inline std::vector<float> random_floats(std::size_t count, unsigned seed, float scale = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(count);
  for (float& x : values) x = normal(generator);
  return values;
}

// People with features and labels that fit the architecture.
inline People random_people(const Architecture& architecture, std::size_t count, unsigned seed) {
  const bool one = architecture.loss == Loss::softmax;
  People people{
      .features = {count, architecture.inputs, random_floats(count * architecture.inputs, seed)},
      .labels = {.kind = one ? LabelKind::one : LabelKind::many}};
  for (std::size_t k = 0; k < architecture.outputs; ++k) {
    people.labels.names.push_back(std::to_string(k));
  }
  std::mt19937 generator(seed + 1);
  for (std::size_t i = 0; i < count * (one ? 1 : architecture.outputs); ++i) {
    const auto below = static_cast<unsigned>(one ? architecture.outputs : 2);
    people.labels.values.push_back(static_cast<std::uint16_t>(generator() % below));
  }
  return people;
}

// 0, 1, 2 and 3 hidden layers, both activations, both losses.
inline std::vector<Architecture> small_architectures() {
  std::vector<Architecture> all;
  for (const Loss loss : {Loss::softmax, Loss::binary}) {
    for (const Activation activation : {Activation::relu, Activation::tanh}) {
      for (std::size_t hidden = 0; hidden <= 3; ++hidden) {
        Architecture architecture{.inputs = 7, .outputs = 3};
        for (std::size_t l = 0; l < hidden; ++l) architecture.hidden.push_back(6 - l);
        architecture.activation = activation;
        architecture.loss = loss;
        all.push_back(architecture);
      }
    }
  }
  return all;
}

}  // namespace ration
