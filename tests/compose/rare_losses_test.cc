#include "ration/compose/rare_losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "ration/compose/accountants.h"
#include "ration/compose/compose.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

Bound remove_epsilon(const Plan& plan, double delta, double most) {
  return contour::rare_epsilon(plan, delta, {.lower = 0, .upper = most});
}

// The promise: every plan is answered, nearly all to 1e-6 relative or 1e-9 absolute.
TEST(RareLosses, RandomPlansOfAllKindsAreAnsweredSharply) {
  oracle::Random random(1);
  const int plans =
      oracle::cases() >= 1'000'000 ? 10'000 : std::clamp(oracle::cases() / 250, 4, 40);
  int sharp = 0;
  std::ostringstream wide;
  for (int i = 0; i < plans; ++i) {
    const double levels = random.coin(0.5) ? 1 : std::floor(random.uniform(1, 101));
    const double rate = random.log_uniform(1e-6, 1), noise = random.log_uniform(0.3, 1000);
    const double steps = std::floor(random.log_uniform(1, 1e7)),
                 delta = random.log_uniform(1e-30, 1e-2);
    Plan plan;
    for (double j = 0; j < levels; ++j) {
      plan.push_back(entry({.noise = std::min(1000.0, noise * (1 + 3 * j / levels)),
                            .rate = rate,
                            .steps = std::max(1.0, std::floor(steps / levels))}));
    }
    const Bound found = compose(plan, delta).epsilon;
    ASSERT_LE(found.lower, found.upper);
    const bool is_sharp = width(found) <= std::max(1e-9, 1e-6 * found.upper);
    sharp += is_sharp ? 1 : 0;
    if (is_sharp) continue;
    wide << "rate " << rate << " noise " << noise << " levels " << levels << " steps " << steps
         << " delta " << delta << ": [" << found.lower << ", " << found.upper << "]\n";
  }
  EXPECT_GE(sharp, 0.99 * plans - 1) << wide.str();
}

TEST(RareLosses, EnclosesTheClosedFormOfOneStep) {
  oracle::Random random(2);
  int sharp = 0;
  for (int i = 0; i < 60; ++i) {
    const Plan plan = {entry({.noise = random.log_uniform(0.3, 100),
                              .rate = random.log_uniform(1e-6, 0.5),
                              .steps = 1})};
    const double delta = random.log_uniform(1e-30, 1e-4);
    const Bound exact = single_step::at_delta(plan, delta).epsilon;
    if (exact.upper == 0) continue;
    const Bound found = remove_epsilon(plan, delta, 1.5 * exact.upper);
    ASSERT_LE(found.lower, exact.upper) << delta;
    // The closed form is the larger of both directions; add may be the larger one by a little.
    ASSERT_GE(found.upper, exact.lower * (1 - 0.1)) << delta;
    sharp += width(found) <= 1e-6 * found.upper ? 1 : 0;
  }
  EXPECT_GE(sharp, 20);
}

// Where an ordinary line is sharp, both must hold the truth.
TEST(RareLosses, OverlapsWithAnOrdinaryLine) {
  oracle::Random random(3);
  for (int i = 0; i < 20; ++i) {
    const Plan plan = {entry({.noise = random.log_uniform(0.8, 5),
                              .rate = random.log_uniform(1e-3, 0.1),
                              .steps = std::floor(random.log_uniform(100, 1e5))})};
    const double delta = random.log_uniform(1e-9, 1e-4);
    const Privacy ordinary = contour::at_delta(plan, delta);
    const Bound found = remove_epsilon(plan, delta, 1.3 * ordinary.epsilon.upper);
    ASSERT_LE(found.lower, ordinary.epsilon.upper);
    if (ordinary.direction == Direction::remove) {
      ASSERT_GE(found.upper, ordinary.epsilon.lower);
    }
  }
}

// Two unlike steps, the direction remove: E_B[delta_A(eps - L_B)] at 256 bits by brute force.
struct Step {
  double noise, rate;
};
Arb one_step_delta(const Step& step, const Arb& epsilon) {
  const Arb odds = Arb(1) + expm1(epsilon) / Arb(step.rate);
  if (!(odds > Arb(0))) return Arb(0) - expm1(epsilon);
  return Arb(step.rate) * oracle::gdp_delta(log(odds), Arb(1) / Arb(step.noise));
}
Arb two_step_delta(const Step& a, const Step& b, double epsilon) {
  constexpr double spacing = 0x1p-8;
  Arb sum = 0;
  for (double u = -13; u <= 16 + 4 / b.noise; u += spacing) {
    const Arb v = Arb(u) / Arb(b.noise) - Arb(0.5) / (Arb(b.noise) * Arb(b.noise));
    const Arb ratio = Arb(1) + Arb(b.rate) * expm1(v);
    sum = sum +
          exp(Arb(-0.5) * Arb(u) * Arb(u)) * ratio * one_step_delta(a, Arb(epsilon) - log(ratio));
  }
  return sum * Arb(spacing) / sqrt(Arb(2) * oracle::pi());
}
TEST(RareLosses, TwoStepsEncloseTheirConvolution) {
  struct Case {
    Step a, b;  // in the order in which the sum over b converges
    double delta;
  };
  for (const auto& [a, b, delta] :
       {Case{{0.427, 3.9e-6}, {0.579, 3e-6}, 3.5e-16}, Case{{2.0, 3e-4}, {1.5, 1e-4}, 1e-12},
        Case{{8.0, 1e-5}, {9.0, 2e-5}, 1e-14}}) {
    const Plan plan = {entry({.noise = a.noise, .rate = a.rate, .steps = 1}),
                       entry({.noise = b.noise, .rate = b.rate, .steps = 1})};
    const Bound found =
        remove_epsilon(plan, delta, 1.2 * contour::at_delta(plan, delta).epsilon.upper);
    EXPECT_LT(width(found), 1e-7 * found.upper) << a.noise;
    EXPECT_TRUE(two_step_delta(a, b, found.upper) <= Arb(delta * (1 + 1e-13))) << a.noise;
    EXPECT_TRUE(two_step_delta(a, b, found.lower) >= Arb(delta * (1 - 1e-13))) << a.noise;
    const Bound there = contour::rare_delta(plan, found.upper, {.lower = 0, .upper = 1});
    EXPECT_TRUE(oracle::encloses(there, two_step_delta(a, b, found.upper))) << a.noise;
  }
}

}  // namespace
}  // namespace ration
