// How parameters follow gradients: stochastic gradient descent with momentum, and Adam, as PyTorch
// defines them (torch.optim.SGD, torch.optim.Adam with their defaults). State is float32,
// arithmetic double.
//
//   SGD:   g += decay p;  v = momentum v + g;  p -= rate v
//   Adam:  g += decay p;  m = b1 m + (1-b1) g;  s = b2 s + (1-b2) g^2
//          p -= rate / (1-b1^t) * m / (sqrt(s / (1-b2^t)) + epsilon)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace ration {

struct SgdRule {
  double rate;
  double momentum = 0;
  double weight_decay = 0;

  friend bool operator==(const SgdRule&, const SgdRule&) = default;
};
struct AdamRule {
  double rate;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;

  friend bool operator==(const AdamRule&, const AdamRule&) = default;
};
using OptimiserRule = std::variant<SgdRule, AdamRule>;

// Rates from 1e-12 to 1e6; momentum and betas from 0 to below 1; epsilon from 1e-30 to 1; decay
// from 0 to 1e6.
void check(const OptimiserRule& rule);

class Optimiser {
 public:
  // Refuses a rule that check() refuses.
  Optimiser(const OptimiserRule& rule, std::size_t parameters);

  void step(std::span<float> parameters, std::span<const float> gradient);

  const OptimiserRule& rule() const { return rule_; }
  std::uint64_t steps() const { return steps_; }

  // For checkpoints. SGD: velocities, if there is momentum. Adam: means and mean squares.
  const std::vector<std::vector<float>>& moments() const { return moments_; }
  // Refuses moments of another number or length, and mean squares below 0. Those of a run that has
  // diverged are not finite.
  void restore(std::vector<std::vector<float>> moments, std::uint64_t steps);

 private:
  OptimiserRule rule_;
  std::size_t parameters_;
  std::uint64_t steps_ = 0;
  std::vector<std::vector<float>> moments_;
};

}  // namespace ration
