#include "ration/loss/pld.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "ration/base/error.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

// E[max(0, 1 - exp(eps - loss))] of a law on the grid, at 256 bits.
Arb hockey_stick(const Pld& law, const Arb& epsilon) {
  Arb sum = law.at_infinity;
  for (std::size_t i = 0; i < law.mass.size(); ++i) {
    const Arb loss = Arb(law.offset) + Arb(law.first + static_cast<double>(i)) * Arb(law.step);
    if (law.mass[i] > 0 && loss > epsilon) {
      sum = sum - Arb(law.mass[i]) * oracle::expm1(epsilon - loss);
    }
  }
  return sum;
}

// lower <= truth <= upper, losses being right up to the slack.
void expect_encloses(const PldBounds& bounds, double epsilon, const Arb& truth) {
  const auto& [upper, lower] = bounds;
  EXPECT_FALSE(hockey_stick(upper, Arb(epsilon) - Arb(upper.slack)) < truth) << epsilon;
  EXPECT_FALSE(hockey_stick(lower, Arb(epsilon) + Arb(lower.slack)) > truth) << epsilon;
}

// delta of N(0,1) against N(mu,1) at any real eps; of one subsampled step from it (facts, 2).
Arb gaussian_truth(double noise, const Arb& epsilon) {
  return oracle::gdp_delta(epsilon, Arb(1) / Arb(noise));
}
Arb subsampled_truth(const SubsampledGaussian& m, double epsilon, Direction direction) {
  const Arb q = double{m.rate}, a = oracle::exp(epsilon);
  if (direction == Direction::remove) {
    const Arb inner = Arb(1) + (a - 1) / q;
    if (!(inner > Arb(0))) return Arb(1) - a;
    return q * gaussian_truth(m.noise, oracle::log(inner));
  }
  const Arb rest = Arb(1) - a * (Arb(1) - q);
  if (!(rest > Arb(0))) return 0;
  return rest * gaussian_truth(m.noise, oracle::log(a * q / rest));
}

Arb laplace_truth(double noise, double epsilon) {  // |eps| <= 1/noise
  return -oracle::expm1((Arb(epsilon) - Arb(1) / Arb(noise)) / 2);
}

Arb outcomes_truth(const std::vector<double>& p, const std::vector<double>& r, double epsilon) {
  Arb sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Arb gain = Arb(p[i]) - oracle::exp(epsilon) * Arb(r[i]);
    if (gain > Arb(0)) sum = sum + gain;
  }
  return sum;
}

TEST(Pld, OneSubsampledStepIsEnclosedInBothDirections) {
  oracle::Random random(1);
  for (int i = 0; i < 60; ++i) {
    const SubsampledGaussian m = {.noise = random.log_uniform(0.1, 30),
                                  .rate = random.coin(0.2) ? 1 - random.log_uniform(1e-12, 0.1)
                                                           : random.log_uniform(1e-6, 0.99)};
    for (const Direction direction : {Direction::remove, Direction::add}) {
      const Bound losses = losses_of(m, direction, 1e-25);
      const double step = width(losses) / random.log_uniform(10, 1000);
      const PldBounds bounds = pld_of(m, direction, {.step = step, .tail = 1e-25});
      for (int j = 0; j < 6; ++j) {
        const double epsilon = losses.lower + random.uniform(-0.1, 1) * width(losses);
        expect_encloses(bounds, epsilon, subsampled_truth(m, epsilon, direction));
      }
      expect_encloses(bounds, 0, subsampled_truth(m, 0, direction));
    }
  }
}

TEST(Pld, AGaussianIsEnclosed) {
  oracle::Random random(2);
  for (int i = 0; i < 40; ++i) {
    const double noise = random.log_uniform(0.02, 1000);
    const Direction direction = i % 2 == 0 ? Direction::remove : Direction::add;
    const PldBounds bounds = pld_of(Gaussian{.noise = noise}, direction,
                                    {.step = random.log_uniform(0.01, 2) / noise, .tail = 1e-40});
    for (int j = 0; j < 6; ++j) {
      const double epsilon = random.uniform(-3, 10) / noise;
      expect_encloses(bounds, epsilon, gaussian_truth(noise, epsilon));
    }
  }
}

TEST(Pld, LaplaceNoiseIsEnclosed) {
  oracle::Random random(3);
  for (int i = 0; i < 40; ++i) {
    const double noise = random.log_uniform(0.1, 100);
    const PldBounds bounds =
        pld_of(Laplace{.noise = noise}, i % 2 == 0 ? Direction::remove : Direction::add,
               {.step = random.log_uniform(1e-3, 1) / noise});
    for (int j = 0; j < 6; ++j) {
      const double epsilon = random.uniform(-0.99, 0.99) / noise;
      expect_encloses(bounds, epsilon, laplace_truth(noise, epsilon));
    }
  }
}

TEST(Pld, PairsAreEnclosedAndInfiniteLossesKept) {
  oracle::Random random(4);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> p, r;
    double p_sum = 0, r_sum = 0;
    for (int j = 0; j < 6; ++j) {
      p.push_back(random.coin(0.1) ? 0 : random.log_uniform(1e-3, 1));
      r.push_back(random.coin(0.1) ? 0 : random.log_uniform(1e-3, 1));
      p_sum += p.back();
      r_sum += r.back();
    }
    if (p_sum == 0 || r_sum == 0) continue;
    for (double& x : p) x /= p_sum;
    for (double& x : r) x /= r_sum;
    const DiscretePair pair(p, r);
    const double step = random.log_uniform(1e-3, 1);
    const PldBounds remove = pld_of(pair, Direction::remove, {.step = step});
    const PldBounds add = pld_of(pair, Direction::add, {.step = step});
    for (int j = 0; j < 4; ++j) {
      const double epsilon = random.uniform(-3, 5);
      expect_encloses(remove, epsilon, outcomes_truth(p, r, epsilon));
      expect_encloses(add, epsilon, outcomes_truth(r, p, epsilon));
    }
    double infinite = 0;
    for (std::size_t j = 0; j < p.size(); ++j) infinite += r[j] == 0 ? p[j] : 0;
    EXPECT_NEAR(remove.upper.at_infinity, infinite, 1e-15);
    EXPECT_NEAR(remove.lower.at_infinity, infinite, 1e-15);
  }
}

TEST(Pld, RandomisedResponseIsEnclosed) {
  for (const double answers : {2.0, 3.0, 101.0}) {
    const PldBounds bounds = pld_of(RandomisedResponse{.truth = 0.75, .options = answers},
                                    Direction::remove, {.step = 0.01});
    const Arb truth = 0.75, other = Arb(0.25) / Arb(answers - 1);
    for (const double epsilon : {-3.0, -1.0, 0.0, 0.1, 0.5}) {
      Arb sum = 0;
      const auto add = [&](const Arb& gain) { sum = gain > Arb(0) ? sum + gain : sum; };
      add(truth - oracle::exp(epsilon) * other);
      add(other - oracle::exp(epsilon) * truth);
      add(other * Arb(answers - 2) * (Arb(1) - oracle::exp(epsilon)));
      expect_encloses(bounds, epsilon, sum);
    }
  }
}

// What a grid costs: the mean of exp(-loss) is kept, and the means differ by O(step^2).
TEST(Pld, TheTwoVersionsAreASquareOfTheStepApart) {
  const auto mean = [](const Pld& law) {
    double sum = 0;
    for (std::size_t i = 0; i < law.mass.size(); ++i) {
      sum += law.mass[i] * (law.offset + (law.first + static_cast<double>(i)) * law.step);
    }
    return sum;
  };
  for (const Direction direction : {Direction::remove, Direction::add}) {
    for (const double noise : {0.5, 2.0, 10.0}) {
      const SubsampledGaussian m = {.noise = noise, .rate = 0.01};
      const double step = 0.01 * m.rate;
      const auto [upper, lower] = pld_of(m, direction, {.step = step});
      EXPECT_LT(mean(upper) - mean(lower), 0.5 * step * step) << noise;
      EXPECT_GT(mean(upper) - mean(lower), 0) << noise;
    }
  }
}

TEST(Pld, AGridThatIsFarTooFineIsRefused) {
  EXPECT_THROW(pld_of(Gaussian{.noise = 0.01}, Direction::remove, {.step = 1e-9}), OutOfReach);
  EXPECT_THROW(pld_of(Gaussian{.noise = 1}, Direction::remove, {.step = 0}), OutOfReach);
  EXPECT_THROW(pld_of(Gaussian{.noise = 1}, Direction::remove, {.step = NAN}), OutOfReach);
}

}  // namespace
}  // namespace ration
