#include "ration/compose/fourier_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ration/base/error.h"
#include "ration/compose/accountants.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using fourier::Table;

TEST(Buckets, AreLinearOrGeometric) {
  const auto linear = fourier::linear_noises({.least = 2, .most = 30, .count = 3});
  EXPECT_EQ(linear[1], 16);
  const auto geometric = fourier::geometric_noises({.least = 2, .most = 32, .count = 3});
  EXPECT_NEAR(geometric[1], 8, 1e-12);
  EXPECT_EQ(geometric[0], 2);
  EXPECT_THROW(fourier::linear_noises({.least = 2, .most = 2, .count = 3}), Error);
  EXPECT_THROW(fourier::geometric_noises({.least = 2, .most = 3, .count = 1}), Error);
}

// A person's delta from the table is an upper bound, and a near one, of their tight delta.
TEST(Table, BoundsEveryPersonsDeltaFromAbove) {
  const Table table(fourier::linear_noises({.least = 2, .most = 30, .count = 8}),
                    {.rate = 0.005, .step = 2e-4, .most = 8});
  const auto at = table.at(0.5);
  oracle::Random random(1);
  for (int person = 0; person < 20; ++person) {
    std::vector<double> counts;
    Plan plan;
    for (const Noise noise : table.noises()) {
      counts.push_back(random.coin(0.3) ? 0 : std::floor(random.log_uniform(1, 3000)));
      if (counts.back() > 0) {
        plan.push_back(entry({.noise = noise, .rate = 0.005, .steps = counts.back()}));
      }
    }
    if (plan.empty()) continue;
    const Bound tight = contour::at_epsilon(plan, 0.5).delta;
    const double found = table.delta(counts, at);
    EXPECT_GE(found, tight.lower) << person;
    EXPECT_LE(found, 1.02 * tight.upper + 1e-8) << person;
  }
}

// The paper's product leaves bucket 0 out, which would not charge the largest contributions at all.
TEST(Table, BucketZeroCounts) {
  const Table table(fourier::geometric_noises({.least = 2, .most = 30, .count = 4}),
                    {.rate = 0.005, .step = 1e-3, .most = 8});
  const auto at = table.at(0.1);
  const double none[] = {0, 0, 0, 1000}, some[] = {1000, 0, 0, 1000};
  EXPECT_GT(table.delta(some, at), 10 * table.delta(none, at));
}

// Inner product and inverse transform are two ways to the same number.
TEST(Table, PlancherelEqualsTheInverseTransform) {
  const Pld law =
      pld_of(SubsampledGaussian{.noise = 1, .rate = 0.01}, Direction::remove, {.step = 1e-3}).upper;
  const fourier::Window window = {
      .step = law.step, .tilt = 3, .first = -4096, .size = 16384, .left = 8, .right = 8};
  const fourier::Transform transform = fourier::transform_of(law, window);
  fourier::Composer composer(window);
  composer.add(transform, 1000);
  const fourier::Spectrum spectrum = composer.spectrum();
  const fourier::ComposedLaw composed(spectrum);
  for (const double epsilon : {0.1, 0.5, 1.0, 1.8}) {
    const auto by_inverse = composed.delta(epsilon);
    const auto by_product = fourier::delta(spectrum, fourier::weights_of(epsilon, window));
    EXPECT_NEAR(by_inverse.value, by_product.value, by_inverse.rounding + by_product.rounding);
    EXPECT_NEAR(by_inverse.value, by_product.value, 1e-10 * by_inverse.value);
    EXPECT_LT(by_product.rounding, 1e-6 * by_product.value);
  }
}

TEST(Table, RefusesTooManyPointsAndCountsThatDoNotFit) {
  const auto noises = fourier::geometric_noises({.least = 2, .most = 30, .count = 2});
  EXPECT_THROW(Table(noises, {.rate = 0.01, .step = 1e-7, .most = 10}), OutOfReach);
  const Table table(noises, {.rate = 0.01, .step = 1e-2, .most = 4});
  const double one[] = {1}, many[] = {1e15, 1e15};
  EXPECT_THROW(table.delta(one, table.at(1)), Error);
  EXPECT_THROW(table.delta(many, table.at(1)), Error);
}

}  // namespace
}  // namespace ration
