#include "ration/model/pass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "ration/base/error.h"
#include "ration/model/pass_kernels.h"
#include "ration/numeric/directed.h"

namespace ration {
namespace {

void activate(Activation activation, std::span<float> values) {
  switch (activation) {
    case Activation::relu:
      for (float& x : values) x = x < 0 ? 0.0F : x;  // what is no number stays none
      return;
    case Activation::tanh:
      for (float& x : values) x = std::tanh(x);
      return;
  }
}

// Errors times the derivative of the activation, which is known from its value.
void times_slope(Activation activation, std::span<const float> values, std::span<float> errors) {
  switch (activation) {
    case Activation::relu:
      for (std::size_t i = 0; i < values.size(); ++i) errors[i] = values[i] > 0 ? errors[i] : 0.0F;
      return;
    case Activation::tanh:
      for (std::size_t i = 0; i < values.size(); ++i) {
        errors[i] *= (1 - values[i]) * (1 + values[i]);
      }
      return;
  }
}

// Beyond these a weight, or an error times a weight, could be so small a float that rounding takes
// more of it than its last digits. docs/math/noise.md, "The sensitivity of X"
constexpr double kLargestNorm = 1e25, kLargestSquare = 1e50;
constexpr double kLargestSquareOfSeveral = 1e46;  // of up to 128 records that are summed
constexpr float kNoNorm =
    std::numeric_limits<float>::infinity();  // of what is too large, or no number

// The square root of a sum of so many roundings, as a float that is not below the truth.
// docs/math/training.md, "Norms".
float norm_up(double square, double roundings) {
  if (square == 0) return 0;
  const double norm = next_up(std::sqrt(square * (1 + 2 * (roundings + 4) * kRoundoff)));
  return norm <= kLargestNorm ? float_up(norm) : kNoNorm;
}

}  // namespace

Pass::Pass(const Architecture& architecture, std::size_t most)
    : architecture_(architecture), most_(most), norms_(most), weights_(most) {
  check(architecture);
  for (const std::size_t width : architecture.hidden) {
    activations_.emplace_back(most * width);
    errors_.emplace_back(most * width);
  }
  errors_.emplace_back(most * architecture.outputs);
  if (architecture.loss == Loss::binary) terms_.resize(most * architecture.outputs);
}

std::span<const float> Pass::outputs(const Network& network, const Block& block) {
  forwards(network, block);
  return {errors_.back().data(), people_ * architecture_.outputs};
}

void Pass::losses(const Network& network, const Block& block, std::span<float> out) {
  forwards(network, block);
  apply_loss(block, out);
}

void Pass::gradients(const Network& network, const Block& block, std::span<float> losses) {
  forwards(network, block);
  apply_loss(block, losses);
  backwards(network);

  std::vector<double> total(people_), activation(people_), error(people_);
  std::size_t widest = 0;
  for (std::size_t l = 0; l < architecture_.layers(); ++l) {
    const std::size_t in = architecture_.width_in(l), out = architecture_.width_out(l);
    square_norms(entering(l), people_, in, activation.data());
    square_norms(errors_[l].data(), people_, out, error.data());
    for (std::size_t i = 0; i < people_; ++i) {
      const bool usual = activation[i] <= kLargestSquare;
      total[i] += usual ? error[i] * (activation[i] + 1) : std::numeric_limits<double>::infinity();
    }
    widest = std::max(widest, in + out);
  }
  const auto roundings = static_cast<double>(widest + architecture_.layers());
  for (std::size_t i = 0; i < people_; ++i) norms_[i] = norm_up(total[i], roundings);
}

void Pass::norms(std::span<float> out) const { std::copy_n(norms_.begin(), people_, out.begin()); }

void Pass::forwards(const Network& network, const Block& block) {
  if (block.people > most_) {
    refuse("people of a block", static_cast<double>(block.people),
           "at most " + std::to_string(most_));
  }
  people_ = block.people;
  features_ = block.features;
  for (std::size_t l = 0; l < architecture_.layers(); ++l) {
    const bool last = l + 1 == architecture_.layers();
    std::vector<float>& out = last ? errors_[l] : activations_[l];
    multiply(entering(l), people_, network.forwards(l), network.biases(l), out.data());
    if (!last) {
      activate(architecture_.activation, {out.data(), people_ * architecture_.width_out(l)});
    }
  }
}

void Pass::apply_loss(const Block& block, std::span<float> losses) {
  float* outputs = errors_.back().data();
  switch (architecture_.loss) {
    case Loss::softmax:
      softmax_loss(outputs, block.labels, people_, architecture_.outputs, losses.data());
      return;
    case Loss::binary:
      binary_loss(outputs, block.labels, people_, architecture_.outputs, terms_.data(),
                  losses.data());
      return;
  }
}

void Pass::backwards(const Network& network) {
  for (std::size_t l = architecture_.layers() - 1; l > 0; --l) {
    const std::size_t size = people_ * architecture_.width_in(l);
    multiply(errors_[l].data(), people_, network.backwards(l), nullptr, errors_[l - 1].data());
    times_slope(architecture_.activation, {activations_[l - 1].data(), size},
                {errors_[l - 1].data(), size});
  }
}

void Pass::norms_of_people(std::span<const std::size_t> begins, std::span<float> out) const {
  for (std::size_t i = 0; i + 1 < begins.size(); ++i)
    out[i] = norm_of_sum(begins[i] - begins[0], begins[i + 1] - begins[i]);
}

// |sum of e_r (a_r, 1)^T|^2 = sum over r, s of (e_r . e_s) (a_r . a_s + 1), in every layer.
float Pass::norm_of_sum(std::size_t first, std::size_t records) const {
  if (records == 1) return norms_[first];
  double together = 0;  // the norms of all records
  for (std::size_t r = 0; r < records; ++r) together = add_up(together, double{norms_[first + r]});
  if (together == 0) return 0;
  if (!(together <= static_cast<double>(records) * kLargestNorm)) return kNoNorm;
  double square = 0;
  std::size_t widest = 0;
  for (std::size_t l = 0; l < architecture_.layers(); ++l) {
    const std::size_t in = architecture_.width_in(l), out = architecture_.width_out(l);
    const float* activations = entering(l) + first * in;
    const float* errors = errors_[l].data() + first * out;
    for (std::size_t r = 0; r < records; ++r) {
      const double own = inner_product(activations + r * in, activations + r * in, in);
      if (!(own <= kLargestSquareOfSeveral)) return kNoNorm;
      double row = inner_product(errors + r * out, errors + r * out, out) * (own + 1);
      for (std::size_t s = 0; s < r; ++s) {
        const double a = inner_product(activations + r * in, activations + s * in, in);
        row += 2 * (inner_product(errors + r * out, errors + s * out, out) * (a + 1));
      }
      square += row;
    }
    widest = std::max(widest, in + out);
  }
  // What rounding can have taken away, a part of the square of `together`: docs/math/training.md.
  const auto roundings = static_cast<double>(widest + records * (architecture_.layers() + 1) + 2);
  const double lost = mul_up(2 * roundings * kRoundoff, mul_up(together, together));
  const double norm = next_up(std::sqrt(add_up(std::max(square, 0.0), lost)));
  const double most = std::max(norm, together / kMostSpread);
  return most <= kLargestNorm ? float_up(most) : kNoNorm;
}

void Pass::weighted_sum(std::span<const float> weights, std::span<float> sum, Onto onto) {
  const bool fresh = onto == Onto::nothing;
  for (std::size_t i = 0; i < people_; ++i) weights_[i] = norms_[i] == kNoNorm ? 0.0F : weights[i];
  for (std::size_t l = 0; l < architecture_.layers(); ++l) {
    const std::size_t in = architecture_.width_in(l), out = architecture_.width_out(l);
    float* weight_sums = sum.data() + architecture_.offset(l);
    const OuterProducts::Task task = {.people = people_,
                                      .left = errors_[l].data(),
                                      .right = entering(l),
                                      .left_columns = out,
                                      .right_columns = in,
                                      .weights = weights_.data()};
    if (fresh) products_.sum(task, weight_sums);
    if (!fresh) products_.add(task, weight_sums);
    float* bias_sums = weight_sums + in * out;
    if (fresh) std::fill_n(bias_sums, out, 0.0F);
    for (std::size_t i = 0; i < people_; ++i) {
      if (weights_[i] == 0) continue;
      const float* error = errors_[l].data() + i * out;
      for (std::size_t k = 0; k < out; ++k) bias_sums[k] += weights_[i] * error[k];
    }
  }
}

}  // namespace ration
