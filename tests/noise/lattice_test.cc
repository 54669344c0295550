#include "ration/noise/lattice.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/refusal.h"

namespace ration {
namespace {

std::vector<float> random_floats(std::size_t count, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> exponent(-30, 8);
  std::vector<float> out(count);
  for (float& x : out) x = static_cast<float>(std::ldexp(normal(generator), exponent(generator)));
  return out;
}

std::vector<double> values(const LatticeSum& sum) {
  return {sum.multiples().begin(), sum.multiples().end()};
}

TEST(LatticeStep, IsTheLargestPowerOfTwoThatFits) {
  EXPECT_EQ(lattice_step(1.0, 1), 0x1p-13);
  EXPECT_EQ(lattice_step(1.0, 4), 0x1p-14);
  EXPECT_EQ(lattice_step(1.0, 5), 0x1p-15);
  EXPECT_EQ(lattice_step(std::nextafter(1.0, 0.0), 4), 0x1p-15);
  EXPECT_EQ(lattice_step(0.7872438989061009, 273'085), 0x1p-23);
  EXPECT_NE(refusal([] { lattice_step(1.0, 0); }), "accepted");
}

RC_GTEST_PROP(LatticeStep, MovesAVectorByAtMostItsPartOfTheClip, ()) {
  const double clip = std::exp(*rc::gen::inRange(-69'000, 69'000) / 1000.0);
  const auto entries = *rc::gen::inRange<std::size_t>(1, 1'000'000'000);
  const double step = lattice_step(clip, entries);
  // Squares, in 64 bits: step sqrt(entries) <= 2^-13 clip < 2 step sqrt(entries).
  const long double left =
      static_cast<long double>(step) * step * static_cast<long double>(entries);
  const long double right = static_cast<long double>(clip) * clip * 0x1p-26L;
  RC_ASSERT(left <= right * (1 + 0x1p-60L));
  RC_ASSERT(4 * left > right * (1 - 0x1p-60L));
  RC_ASSERT(std::ldexp(1.0, std::ilogb(step)) == step);
}

TEST(LatticeSum, EqualsWholeNumberArithmeticInAnyOrder) {
  std::mt19937_64 generator(1);
  constexpr std::size_t kEntries = 1003, kBlocks = 40;  // vectors and a remainder
  constexpr double kStep = 0x1p-20;
  std::vector<std::vector<float>> blocks;
  std::vector<std::int64_t> expected(kEntries);
  for (std::size_t b = 0; b < kBlocks; ++b) {
    blocks.push_back(random_floats(kEntries, generator));
    for (std::size_t i = 0; i < kEntries; ++i) {
      expected[i] += std::llrint(static_cast<long double>(blocks[b][i]) / kStep);
    }
  }
  for (int order = 0; order < 5; ++order) {
    LatticeSum sum(kEntries, kStep), half(kEntries, kStep);
    for (std::size_t b = 0; b < kBlocks; ++b) (b % 2 == 0 ? sum : half).add(blocks[b]);
    sum.add(half);
    EXPECT_NO_THROW(sum.check_range());
    for (std::size_t i = 0; i < kEntries; ++i) {
      ASSERT_EQ(sum.multiples()[i], static_cast<double>(expected[i]));
    }
    std::shuffle(blocks.begin(), blocks.end(), generator);
  }
}

TEST(LatticeSum, RoundsToTheNearestAndTiesToEven) {
  LatticeSum sum(9, 0.25);
  sum.add(std::vector<float>{0.125F, 0.375F, -0.125F, -0.375F, 0.13F, -0.37F, 1e-45F, 7.F, 0.625F});
  EXPECT_EQ(values(sum), (std::vector<double>{0, 2, 0, -2, 1, -1, 0, 28, 2}));
}

TEST(LatticeSum, GivesTheSameBitsOnEveryInstructionSet) {
  std::mt19937_64 generator(2);
  const std::vector<float> block = random_floats(517, generator);
  std::vector<std::vector<double>> results;
  const auto supported = hwy::SupportedTargets();
  for (auto rest = supported; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    LatticeSum sum(block.size(), 0x1p-12);
    sum.add(block);
    sum.add(block);
    results.push_back(values(sum));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST(LatticeSum, RemembersThatItLeftItsRange) {
  const auto after = [](std::vector<float> first, std::vector<float> second) {
    LatticeSum sum(first.size(), 1);
    sum.add(first);
    sum.add(second);
    return refusal([&] { sum.check_range(); });
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t place : {0UL, 6UL, 16UL}) {  // in a vector, and behind the last
    std::vector<float> zeros(17), large(17), back(17);
    large[place] = 0x1p52F;
    back[place] = -0x1p52F;
    EXPECT_NE(after(large, back), "accepted") << place;
    large[place] = 0x1.fffffep51F;
    back[place] = -1;
    EXPECT_EQ(after(large, back), "accepted") << place;
    for (const float bad : {kInfinity, -kInfinity, kNaN}) {
      large[place] = bad;
      EXPECT_NE(after(large, zeros), "accepted") << place;
    }
  }
  LatticeSum sum(1, 1), good(1, 1);
  sum.add(std::vector<float>{kNaN});
  good.add(sum);
  EXPECT_NE(refusal([&] { good.check_range(); }), "accepted");
  good.clear();
  EXPECT_EQ(refusal([&] { good.check_range(); }), "accepted");
  EXPECT_EQ(good.multiples()[0], 0);
}

TEST(LatticeSum, RefusesWhatIsNoLatticeOrOfOtherSize) {
  for (const double step : {0.0, -1.0, 3.0, 1.5, 0x1p-600, std::nan("")}) {
    EXPECT_NE(refusal([&] { LatticeSum(1, step); }), "accepted") << step;
  }
  LatticeSum sum(2, 0.5);
  EXPECT_NE(refusal([&] { sum.add(std::vector<float>(3)); }), "accepted");
  EXPECT_NE(refusal([&] { sum.add(LatticeSum(3, 0.5)); }), "accepted");
  EXPECT_NE(refusal([&] { sum.add(LatticeSum(2, 0.25)); }), "accepted");
}

}  // namespace
}  // namespace ration
