#include "ration/compose/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/random.h"

namespace ration {
namespace {

Accounting listed_orders() {
  Accounting how{.method = Method::rdp, .orders = {}};
  for (int order = 2; order <= 32; ++order) how.orders.emplace_back(order);
  return how;
}

// Facts, section 3: the largest k at sigma = 100, delta = 1e-5.
struct StepsRow {
  double epsilon, gdp, rdp, listed;
};
class StepsTable : public testing::TestWithParam<StepsRow> {};
TEST_P(StepsTable, IsExactInAllThreeColumns) {
  const auto [epsilon, gdp, rdp, listed] = GetParam();
  const Target target = {.epsilon = epsilon, .delta = 1e-5};
  const NoiseAndRate given = {.noise = 100, .rate = 1};
  EXPECT_EQ(calibrate_steps(target, given, {.method = Method::gdp, .orders = {}}), gdp);
  EXPECT_EQ(calibrate_steps(target, given, {.method = Method::rdp, .orders = {}}), rdp);
  EXPECT_EQ(calibrate_steps(target, given, listed_orders()), listed);
}
INSTANTIATE_TEST_SUITE_P(Facts, StepsTable,
                         testing::Values(StepsRow{0.1, 10, 8, 0}, StepsRow{0.2, 37, 31, 0},
                                         StepsRow{0.3, 79, 66, 45}, StepsRow{0.5, 202, 170, 170},
                                         StepsRow{0.8, 478, 405, 405}, StepsRow{1.0, 718, 611, 611},
                                         StepsRow{2.0, 2515, 2165, 2163},
                                         StepsRow{5.0, 12571, 11019, 10989}));

double spent(double noise, double rate, double steps, double delta) {
  return compose({entry({.noise = noise, .rate = rate, .steps = steps})}, delta).epsilon.upper;
}

TEST(Calibrate, AnswersFitAndTheNextCoarserOnesDoNot) {
  oracle::Random random(1);
  for (int i = 0; i < 12; ++i) {
    const double epsilon = random.log_uniform(0.1, 20), delta = random.log_uniform(1e-10, 1e-3);
    const double rate = i % 3 == 0 ? 1 : random.log_uniform(1e-2, 0.5);
    const double steps = std::floor(random.log_uniform(100, 1e5));
    const Target target = {.epsilon = epsilon, .delta = delta};
    const double noise = calibrate_noise(target, {.rate = rate, .steps = steps});
    EXPECT_LE(spent(noise, rate, steps, delta), epsilon);
    EXPECT_GT(spent(noise * (1 - 1.1e-9), rate, steps, delta), epsilon) << noise;

    const auto most = static_cast<double>(calibrate_steps(target, {.noise = noise, .rate = rate}));
    EXPECT_GE(most, steps);
    EXPECT_LE(spent(noise, rate, most, delta), epsilon);
    EXPECT_GT(spent(noise, rate, most + 1, delta), epsilon);
  }
}

TEST(Calibrate, RateFitsAndTheNextDoesNot) {
  const Target target = {.epsilon = 2, .delta = 1e-5};
  const double rate = calibrate_rate(target, {.noise = 1, .steps = 1000});
  EXPECT_LE(spent(1, rate, 1000, 1e-5), 2);
  EXPECT_GT(spent(1, rate * (1 + 1.1e-9), 1000, 1e-5), 2);
  EXPECT_EQ(calibrate_rate(target, {.noise = 1000, .steps = 10}), 1);
}

TEST(Calibrate, EpsilonZeroCanBeMet) {
  const Target free = {.epsilon = 0, .delta = 1e-5};
  EXPECT_NEAR(calibrate_noise(free, {.rate = 1, .steps = 1}), 39894.2, 0.1);
  EXPECT_GT(calibrate_steps({.epsilon = 0, .delta = 0.1}, {.noise = 1e5, .rate = 1}), 6e8);
}

TEST(Calibrate, EndsOfTheRanges) {
  // Nothing but infinite noise gives eps = 0 at a small delta.
  EXPECT_THROW(calibrate_noise({.epsilon = 0, .delta = 1e-200}, {.rate = 1, .steps = 1}), Error);
  EXPECT_EQ(calibrate_noise({.epsilon = 1e8, .delta = 0.999}, {.rate = 1, .steps = 1}), 1e-4);
  EXPECT_EQ(calibrate_steps({.epsilon = 1e8, .delta = 0.5}, {.noise = 1e8, .rate = 1}), 1e15);
  EXPECT_EQ(calibrate_steps({.epsilon = 0.001, .delta = 1e-5}, {.noise = 1, .rate = 1}), 0);
  EXPECT_THROW(calibrate_rate({.epsilon = 1, .delta = 1e-5}, {.noise = 1, .steps = 100},
                              {.method = Method::gdp, .orders = {}}),
               Error);
}

}  // namespace
}  // namespace ration
