#include "ration/compose/accountants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ration/base/error.h"
#include "ration/compose/contour_line.h"
#include "tests/oracle/composition.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

Plan sampled(double rate, double noise, double steps) {
  return {entry({.noise = noise, .rate = rate, .steps = steps})};
}

// Facts, section 3: tight eps of the Poisson-subsampled Gaussian, the larger direction. The third
// value there is off by 4e-12; mpmath at 40 digits puts it at 1.82823666651658.
struct TightRow {
  double rate, noise, steps, delta, epsilon;
};
class ContourTable : public testing::TestWithParam<TightRow> {};
TEST_P(ContourTable, IsMatchedToNineDigits) {
  const auto [rate, noise, steps, delta, epsilon] = GetParam();
  const Privacy found = contour::at_delta(sampled(rate, noise, steps), delta);
  EXPECT_NEAR(found.epsilon.upper, epsilon, 1e-9 * epsilon);
  EXPECT_NEAR(found.epsilon.lower, epsilon, 5e-9 * epsilon);
  EXPECT_EQ(found.direction, Direction::remove);
}
INSTANTIATE_TEST_SUITE_P(Facts, ContourTable,
                         testing::Values(TightRow{0.005, 2, 10000, 1e-6, 1.1501786607954},
                                         TightRow{0.005, 2, 10000, 1e-5, 1.00411265},
                                         TightRow{0.01, 1, 1000, 1e-5, 1.82823666651658}));

// Without subsampling the answer is known exactly.
TEST(Contour, EnclosesTheExactGaussian) {
  oracle::Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Plan plan = {entry({.noise = random.log_uniform(0.3, 1000),
                              .rate = 1,
                              .steps = std::floor(random.log_uniform(1, 1e7))}),
                       entry({.noise = random.log_uniform(0.3, 1000), .rate = 1, .steps = 3})};
    const double delta = random.log_uniform(1e-100, 1e-2);
    const Bound exact = gaussian::at_delta(plan, delta).epsilon;
    const Bound found = contour::at_delta(plan, delta).epsilon;
    ASSERT_LE(found.lower, exact.upper);
    ASSERT_GE(found.upper, exact.lower);
    ASSERT_LE(width(found), 1e-9 * found.upper + 1e-12) << delta;
  }
}

// Arb at 256 bits, on another line: delta(lower) >= delta >= delta(upper).
TEST(Contour, EnclosesArbsIntegral) {
  oracle::Random random(2);
  const int plans = oracle::cases() >= 1'000'000 ? 500 : 50;
  int checked = 0;
  for (int i = 0; i < plans; ++i) {
    const double rate = random.log_uniform(3e-3, 0.1), noise = random.log_uniform(1, 50);
    const double steps = std::floor(random.log_uniform(300, 1e6)),
                 delta = random.log_uniform(1e-30, 1e-3);
    const bool remove = i % 4 != 0;
    const Direction direction = remove ? Direction::remove : Direction::add;
    // A tilt near the saddle point, from the normal approximation.
    const double variance = steps * rate * rate * std::expm1(1 / (noise * noise));
    const double tilt = 0.8 * std::sqrt(-2 * std::log(delta) / variance);
    const oracle::Composition truth({.noise = noise, .rate = rate}, steps, remove, tilt, 1e-60);
    const contour::Line line(sampled(rate, noise, steps), direction,
                             {.tilt = 1.1 * tilt,
                              .further_tilt = 1.4 * tilt,
                              .period = (40 - std::log(delta)) / tilt + 60 / (0.3 * tilt)});
    for (const double scale : {0.8, 1.0, 1.2}) {
      const double epsilon = std::max(0.01, scale * (line.mean()));
      const Bound found = line.delta(epsilon);
      if (found.upper < 1e-50) continue;  // beyond what the oracle's period is made for
      ++checked;
      ASSERT_TRUE(truth.delta(epsilon) > Arb(0) && truth.delta(epsilon) < Arb(1));
      ASSERT_TRUE(oracle::encloses(found, truth.delta(epsilon)))
          << rate << " " << noise << " " << steps << " " << delta << " " << remove << " "
          << found.lower << " " << found.upper << " " << truth.delta(epsilon).approximate();
    }
  }
  EXPECT_GT(checked, 2 * plans);
}

// One step is known in closed form; the contour with its bulk taken out must agree.
TEST(Contour, AgreesWithOneStepInClosedForm) {
  for (const double rate : {0.3, 0.1, 0.01}) {
    for (const double noise : {0.6, 1.0, 3.0}) {
      const Plan plan = sampled(rate, noise, 1);
      const Bound exact = single_step::at_delta(plan, 1e-5).epsilon;
      const Bound found = contour::at_delta(plan, 1e-5).epsilon;
      EXPECT_LE(found.lower, exact.upper) << rate << " " << noise;
      EXPECT_GE(found.upper, exact.lower) << rate << " " << noise;
      EXPECT_LT(width(exact), 1e-10 * exact.upper) << rate << " " << noise;
    }
  }
}

TEST(Contour, IsNeverAboveRenyiNorBelowFewerSteps) {
  oracle::Random random(3);
  for (int i = 0; i < 40; ++i) {
    const double rate = random.log_uniform(1e-3, 1), noise = random.log_uniform(0.6, 50);
    const double steps = std::floor(random.log_uniform(10, 1e6)),
                 delta = random.log_uniform(1e-20, 1e-3);
    const Bound tight = contour::at_delta(sampled(rate, noise, steps), delta).epsilon;
    const Bound renyi = renyi::at_delta(sampled(rate, noise, steps), delta).epsilon;
    const Bound more = contour::at_delta(sampled(rate, noise, 2 * steps), delta).epsilon;
    EXPECT_LE(tight.upper, renyi.upper * (1 + 1e-12));
    EXPECT_LE(tight.lower, more.upper);
  }
}

TEST(Contour, RelativeAccuracyHoldsAtTinyDelta) {
  const Bound found = contour::at_delta(sampled(0.01, 1, 1000), 1e-300).epsilon;
  EXPECT_NEAR(found.upper, 85.54427112442, 1e-10);  // contour on two other lines
  EXPECT_LT(width(found), 1e-9);
}

TEST(Contour, TakesAHundredMillionSteps) {
  const Bound found = contour::at_delta(sampled(1e-4, 1, 1e8), 1e-9).epsilon;
  EXPECT_LT(width(found), 1e-8);
}

// Two steps by direct convolution in 113-bit arithmetic. Here phi falls below its own error before
// the line ends, which once came out as NaN.
TEST(Contour, TwoUnlikeStepsEncloseTheirConvolution) {
  const Plan plan = {entry({.noise = 30, .rate = 0.4, .steps = 1}),
                     entry({.noise = 40, .rate = 0.2, .steps = 1})};
  const Bound found = contour::at_epsilon(plan, 0.02).delta;
  EXPECT_NEAR(found.upper, 0.00054821212759608, 1e-14);
  EXPECT_NEAR(found.lower, 0.00054821212759608, 1e-14);
  EXPECT_NEAR(contour::at_epsilon(plan, 0.001).delta.upper, 0.00520079548341506, 1e-13);
}

// The rarer row sends the search of direction add further out than the other row has moments; its
// losses are far below what remove spends anyway.
TEST(Contour, RowsOfVeryUnlikeRatesAreAnswered) {
  const Plan plan = {entry({.noise = 0.6, .rate = 0.01, .steps = 1}),
                     entry({.noise = 10, .rate = 1e-6, .steps = 1})};
  const Bound found = contour::at_delta(plan, 1e-22).epsilon;
  EXPECT_LE(found.lower, 11.8831);  // the Fourier accountant's enclosure
  EXPECT_GE(found.upper, 11.8785);
}

// Random plans on which searches by a few rows, or a split where a longer line will do, came out
// wide. Enclosed by the Fourier accountant, which is sound but coarse.
struct UnlikeRows {
  std::vector<NoisySteps> rows;
  double delta, accuracy;
};
class ContourOfUnlikeRows : public testing::TestWithParam<UnlikeRows> {};
TEST_P(ContourOfUnlikeRows, IsSharp) {
  Plan plan;
  for (const NoisySteps& row : GetParam().rows) plan.push_back(entry(row));
  const double delta = GetParam().delta;
  const Bound found = contour::at_delta(plan, delta).epsilon;
  EXPECT_LE(width(found), 1e-6 * found.upper);
  const Bound grid = fourier::at_delta(plan, delta, {.accuracy = GetParam().accuracy}).epsilon;
  EXPECT_LE(found.lower, grid.upper);
  EXPECT_GE(found.upper, grid.lower);
}
INSTANTIATE_TEST_SUITE_P(
    RandomPlans, ContourOfUnlikeRows,
    testing::Values(
        // A dozen rates: the upper end of add was 4% too large.
        UnlikeRows{{{9.89047, 0.393862, 3},
                    {9.96254, 2.60936e-05, 38},
                    {0.912176, 0.0104346, 5522},
                    {5.48134, 7.57951e-05, 125},
                    {1.13356, 2.38486e-05, 137},
                    {7.14207, 0.000553642, 52},
                    {7.88097, 0.0468097, 730},
                    {4.62265, 3.60417e-06, 118},
                    {5.89757, 0.0943803, 2081},
                    {0.582014, 2.26704e-06, 480},
                    {2.03531, 0.0107133, 44},
                    {0.433175, 5.46736e-05, 3}},
                   5.01e-6,
                   0.01},
        // Rare losses whose cut was not sharp enough.
        UnlikeRows{{{0.263748, 0.109571, 3}, {1.8547, 0.000419152, 1}, {0.234455, 3.07135e-05, 2}},
                   1.48e-6,
                   0.01},
        // Two maxima, for which a longer line will do.
        UnlikeRows{{{0.344803, 0.0013948, 1059},
                    {0.671667, 0.140952, 1},
                    {0.204177, 0.00437619, 660},
                    {2.78121, 0.0909323, 9}},
                   5.9e-9,
                   0.1}));

// Neighbours share lines, and nothing is lost by it.
TEST(Contour, CurveIsThatOfItsPoints) {
  Plan plan;
  for (int i = 0; i < 12; ++i) {
    plan.push_back(entry({.noise = 1.5 + i, .rate = 0.01, .steps = 300}));
  }
  const double last = 2 * contour::at_delta(plan, 1e-6).epsilon.upper;
  std::vector<double> epsilons;
  for (int i = 0; i <= 10; ++i) epsilons.push_back(last * i / 10);
  const std::vector<Bound> curve = contour::delta_curve(plan, epsilons);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const Bound alone = contour::at_epsilon(plan, epsilons[i]).delta;
    EXPECT_LE(curve[i].lower, alone.upper) << epsilons[i];
    EXPECT_GE(curve[i].upper, alone.lower) << epsilons[i];
    EXPECT_LE(width(curve[i]), std::max(1e-8 * alone.upper, 1e-12)) << epsilons[i];
  }
}

TEST(Contour, LittleNoiseWithSamplingIsRefusedAtOnce) {
  EXPECT_THROW(contour::at_epsilon(sampled(1e-12, 1e-4, 2), 0), Error);
  EXPECT_THROW(contour::at_delta(sampled(0.1, 1e-4, 2), 1e-5), Error);
}

TEST(Contour, NothingIsSpentWhereDeltaCoversTheUnion) {
  EXPECT_EQ(contour::at_delta(sampled(1e-6, 1, 10), 1e-3).epsilon, exactly(0));
}

TEST(Contour, EpsilonAndDeltaAreInverse) {
  const Plan plan = {entry({.noise = 1.5, .rate = 0.02, .steps = 500}),
                     entry({.noise = 3, .rate = 0.01, .steps = 700})};
  const Bound epsilon = contour::at_delta(plan, 1e-7).epsilon;
  EXPECT_LE(contour::at_epsilon(plan, epsilon.upper).delta.lower, 1e-7);
  EXPECT_GE(contour::at_epsilon(plan, epsilon.lower).delta.upper, 1e-7);
  EXPECT_NEAR(contour::at_epsilon(plan, epsilon.upper).delta.upper, 1e-7, 1e-15);
}

}  // namespace
}  // namespace ration
