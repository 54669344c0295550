#include "ration/model/optimiser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/model/plain_network.h"
#include "tests/refusal.h"

namespace ration {
namespace {

constexpr std::size_t kParameters = 50;
constexpr int kSteps = 40;

// Runs both from the same start along the same gradients; the recurrence keeps all in double.
template <class Recurrence>
void expect_follows(const OptimiserRule& rule, Recurrence recurrence) {
  std::vector<float> parameters = random_floats(kParameters, 1);
  std::vector<double> expected(parameters.begin(), parameters.end());
  Optimiser optimiser(rule, kParameters);
  for (unsigned t = 1; t <= kSteps; ++t) {
    const std::vector<float> gradient = random_floats(kParameters, 10 + t);
    optimiser.step(parameters, gradient);
    for (std::size_t i = 0; i < kParameters; ++i) {
      expected[i] = recurrence(i, static_cast<int>(t), expected[i], gradient[i]);
      // Parameters and state are rounded to float32 at each step.
      ASSERT_NEAR(parameters[i], expected[i], t * 3e-7 * std::fmax(1, std::abs(expected[i])));
    }
  }
  EXPECT_EQ(optimiser.steps(), static_cast<std::uint64_t>(kSteps));
}

TEST(Optimiser, SgdFollowsTheRecurrenceOfPyTorch) {
  expect_follows(SgdRule{.rate = 0.1},
                 [](std::size_t, int, double p, double g) { return p - 0.1 * g; });
  // torch.optim.SGD: the first velocity is the gradient, later ones momentum v + g.
  std::vector<double> velocity(kParameters);
  expect_follows(SgdRule{.rate = 0.05, .momentum = 0.9, .weight_decay = 0.01},
                 [&](std::size_t i, int t, double p, double g) {
                   g = g + 0.01 * p;
                   velocity[i] = t == 1 ? g : 0.9 * velocity[i] + g;
                   return p - 0.05 * velocity[i];
                 });
}

TEST(Optimiser, AdamFollowsTheRecurrenceOfPyTorch) {
  // torch.optim.Adam, _single_tensor_adam: lerp of the mean, step_size and denom as named there.
  std::vector<double> exp_avg(kParameters), exp_avg_sq(kParameters);
  const double lr = 0.0095, decay = 0.001, eps = 1e-8;
  expect_follows(
      AdamRule{.rate = lr, .weight_decay = decay}, [&](std::size_t i, int t, double p, double g) {
        g += decay * p;
        exp_avg[i] += (g - exp_avg[i]) * (1 - 0.9);
        exp_avg_sq[i] = exp_avg_sq[i] * 0.999 + (1 - 0.999) * g * g;
        const double bias_correction1 = 1 - std::pow(0.9, t);
        const double bias_correction2 = 1 - std::pow(0.999, t);
        const double step_size = lr / bias_correction1;
        const double denom = std::sqrt(exp_avg_sq[i]) / std::sqrt(bias_correction2) + eps;
        return p - step_size * exp_avg[i] / denom;
      });
}

TEST(Optimiser, GoesOnFromACheckpointToTheLastBit) {
  for (const OptimiserRule& rule :
       {OptimiserRule{SgdRule{.rate = 0.1}}, OptimiserRule{SgdRule{.rate = 0.1, .momentum = 0.5}},
        OptimiserRule{AdamRule{.rate = 0.01}}}) {
    Optimiser whole(rule, kParameters), resumed(rule, kParameters);
    std::vector<float> a = random_floats(kParameters, 1);
    for (unsigned t = 0; t < 5; ++t) whole.step(a, random_floats(kParameters, t));
    std::vector<float> b = a;
    resumed.restore(whole.moments(), whole.steps());
    for (unsigned t = 5; t < 9; ++t) {
      whole.step(a, random_floats(kParameters, t));
      resumed.step(b, random_floats(kParameters, t));
    }
    EXPECT_EQ(a, b);
    EXPECT_EQ(whole.moments(), resumed.moments());
  }
}

TEST(Optimiser, RefusesRulesAndStatesThatCannotBe) {
  const auto refused = [](const OptimiserRule& rule) { return refusal([&] { check(rule); }); };
  EXPECT_EQ(refused(SgdRule{.rate = 0}), "learning rate is 0: give a number from 1e-12 to 1e6");
  EXPECT_EQ(refused(SgdRule{.rate = 1, .momentum = 1}),
            "momentum is 1: give a number from 0 to below 1");
  EXPECT_EQ(refused(AdamRule{.rate = 1, .weight_decay = -1}),
            "weight decay is -1: give a number from 0 to 1e6");
  EXPECT_EQ(refused(AdamRule{.rate = 1, .epsilon = 0}),
            "epsilon of Adam is 0: give a number from 1e-30 to 1");
  EXPECT_NE(refused(AdamRule{.rate = std::numeric_limits<double>::quiet_NaN()}), "accepted");
  EXPECT_NE(refused(AdamRule{.rate = 1, .beta1 = -0.1}), "accepted");
  EXPECT_NE(refused(AdamRule{.rate = 1, .beta2 = 1}), "accepted");
  EXPECT_EQ(refused(AdamRule{.rate = 1}), "accepted");

  Optimiser adam(AdamRule{.rate = 1}, 2);
  EXPECT_NE(refusal([&] { adam.restore({{1, 2}}, 1); }), "accepted");
  EXPECT_NE(refusal([&] { adam.restore({{1, 2}, {1}}, 1); }), "accepted");
  EXPECT_NE(refusal([&] { adam.restore({{1, 2}, {1, -1}}, 1); }), "accepted");
  EXPECT_EQ(refusal([&] {
              adam.restore({{1, NAN}, {1, INFINITY}}, 1);
            }),
            "accepted")
      << "a run that has diverged goes on";
  EXPECT_EQ(refusal([&] { adam.restore({{1, 2}, {1, 1}}, 1); }), "accepted");
  std::vector<float> three(3);
  EXPECT_NE(refusal([&] { adam.step(three, three); }), "accepted");
}

}  // namespace
}  // namespace ration
