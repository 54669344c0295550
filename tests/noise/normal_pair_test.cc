#include "ration/noise/normal_pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

Arb power_of_two(slong exponent) {
  Arb result(1);
  arb_mul_2exp_si(result.get(), result.get(), exponent);
  return result;
}

template <std::size_t kWords>
Arb fraction_of(const std::array<std::uint64_t, kWords>& digits) {
  Arb sum(0.5);  // beyond the last digit
  for (std::size_t i = kWords; i-- > 0;) {
    Arb word;
    arb_set_ui(word.get(), digits[i]);
    sum = (sum + word) * power_of_two(-64);
  }
  return sum;
}

// Of the middle of the ball: to 250 digits.
std::array<std::uint64_t, 4> digits_of(Arb fraction) {
  std::array<std::uint64_t, 4> digits{};
  fmpz_t whole;
  fmpz_init(whole);
  mag_zero(arb_radref(fraction.get()));
  for (std::uint64_t& word : digits) {
    arb_mul_2exp_si(fraction.get(), fraction.get(), 64);
    arf_get_fmpz(whole, arb_midref(fraction.get()), ARF_RND_FLOOR);
    arb_sub_fmpz(fraction.get(), fraction.get(), whole, 2 * oracle::kBits);
    word = fmpz_get_ui(whole);
  }
  fmpz_clear(whole);
  return digits;
}

struct Exact {
  Arb radius, first, second;
};

// The definition, from the digits.
Exact exact_pair(const PairDigits& digits, double scale) {
  const Arb radius = sqrt(Arb(-2) * log(fraction_of(digits.radius))) * Arb(scale);
  auto angle = digits.angle;
  const std::uint64_t top = angle[0] >> 61;
  angle[0] &= ~std::uint64_t{0} >> 3;
  const Arb phi = fraction_of(angle) * Arb(8) * oracle::pi() / Arb(4);
  Arb first = Arb::apply(arb_cos, phi), second = Arb::apply(arb_sin, phi);
  if ((top & 1) != 0) std::swap(first, second);
  if ((top & 4) != 0) first = -first;
  if ((top & 2) != 0) second = -second;
  return {radius, radius * first, radius * second};
}

PairDigits random_digits(std::mt19937_64& generator) {
  PairDigits digits{};
  for (std::uint64_t& word : digits.radius) word = generator();
  for (std::uint64_t& word : digits.angle) word = generator();
  return digits;
}

// Certainly |draw - exact| <= 1/2 + error.
::testing::AssertionResult rounds(double draw, const Arb& exact, const Arb& error) {
  const Arb distance = Arb(draw) - exact, most = Arb(0.5) + error;
  if (distance <= most && -distance <= most) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << draw << " for " << exact.approximate();
}

TEST(DecidePair, RoundsTheExactPair) {
  std::mt19937_64 generator(1);
  for (int i = 0; i < 2000; ++i) {
    PairDigits digits = random_digits(generator);
    // Radii far out and close to zero, angles close to the axes and diagonals.
    const auto shift = static_cast<unsigned>(i % 64);
    if (i % 3 == 1) digits.radius[0] >>= shift;
    if (i % 3 == 2) digits.radius[0] = ~(digits.radius[0] >> shift);
    if (i % 5 == 1) digits.angle[0] &= 7UL << 61 | ~0UL >> 3 >> shift;
    if (i % 5 == 2) digits.angle[0] |= ~0UL << shift & ~0UL >> 3;
    const double scale = std::ldexp(1.1, 10 + i % 35);
    const auto draws = decide_pair(digits, scale);
    const Exact exact = exact_pair(digits, scale);
    const Arb error = exact.radius * power_of_two(-107);
    EXPECT_TRUE(rounds(draws[0], exact.first, error)) << i;
    EXPECT_TRUE(rounds(draws[1], exact.second, error)) << i;
  }
}

TEST(DecidePair, HasAnAnswerForTheRarestDigits) {
  for (const std::uint64_t word : {0UL, ~0UL}) {
    const PairDigits digits = {.radius = {word, word, word, word}, .angle = {0, 0}};
    const double draw = decide_pair(digits, 1024)[0];
    EXPECT_EQ(draw, word == 0 ? 19328 : 0);  // sqrt(2 * 257 ln 2) * 1024
  }
}

// Digits such that scale * draw lies beside a half by 2^-107 of the radius.
TEST(DecidePair, DecidesWhatHangsOnTheHundredthDigit) {
  std::mt19937_64 generator(2);
  for (int i = 0; i < 500; ++i) {
    PairDigits digits = random_digits(generator);
    const double scale = std::ldexp(1.3, 10 + i % 35);
    const Exact near = exact_pair(digits, scale);
    const double half = std::floor(near.first.approximate()) + 0.5;
    for (const double side : {-1.0, 1.0}) {
      const Arb target = Arb(half) + Arb(side) * near.radius * power_of_two(-107);
      const Arb z = near.radius / near.first * target / Arb(scale);
      digits.radius = digits_of(exp(-(z * z) / Arb(2)));
      EXPECT_EQ(decide_pair(digits, scale)[0], half + side / 2) << i;

      std::vector<std::uint64_t> words(2 * kPairMultiple);
      words[0] = digits.radius[0];
      words[1] = digits.angle[0];
      std::vector<double> draws(words.size());
      std::vector<std::uint32_t> undecided(kPairMultiple);
      ASSERT_GT(draw_pairs(words, scale, draws, undecided), 0U);
      EXPECT_EQ(undecided[0], 0U) << "decided without the digits that decide";
    }
  }
}

struct Drawn {
  std::vector<std::uint64_t> words;
  std::vector<double> draws;
  std::vector<std::uint32_t> undecided;
};

Drawn draw(std::size_t pairs, double scale, std::mt19937_64& generator) {
  Drawn out{std::vector<std::uint64_t>(2 * pairs), std::vector<double>(2 * pairs),
            std::vector<std::uint32_t>(pairs)};
  for (std::uint64_t& word : out.words) word = generator();
  out.undecided.resize(draw_pairs(out.words, scale, out.draws, out.undecided));
  return out;
}

TEST(DrawPairs, WhatIsDecidedStaysWhateverDigitsFollow) {
  std::mt19937_64 generator(3);
  for (const double scale : {0x1p10, 0x1.8p26, 0x1p40, 0x1.4p44}) {
    const Drawn drawn = draw(1024, scale, generator);
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < 1024; ++i) {
      if (next < drawn.undecided.size() && drawn.undecided[next] == i) {
        ++next;
        continue;
      }
      for (const std::uint64_t word : {std::uint64_t{0}, ~std::uint64_t{0}}) {
        const PairDigits digits = {.radius = {drawn.words[2 * i], word, word, word},
                                   .angle = {drawn.words[2 * i + 1], word}};
        const auto exact = decide_pair(digits, scale);
        ASSERT_EQ(drawn.draws[2 * i], exact[0]) << scale;
        ASSERT_EQ(drawn.draws[2 * i + 1], exact[1]) << scale;
      }
    }
    EXPECT_EQ(next, drawn.undecided.size());
  }
}

// On a lattice as fine as 2^-50 the rounding shows the error before it.
TEST(DrawPairs, ErrsByLessThanAQuarterOfTheMargin) {
  std::mt19937_64 generator(4);
  constexpr double kScale = 0x1p50;
  const auto pairs = static_cast<std::size_t>(oracle::cases()) / 5 / kPairMultiple * kPairMultiple;
  const Drawn drawn = draw(pairs, kScale, generator);
  double worst = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::uint64_t radius = drawn.words[2 * i];
    if (radius >> 48 == 0 || ~radius >> 48 == 0) continue;  // always listed
    const PairDigits digits = {.radius = {radius}, .angle = {drawn.words[2 * i + 1]}};
    const auto exact = decide_pair(digits, kScale);
    const double length = std::hypot(exact[0], exact[1]);
    for (std::size_t k = 0; k < 2; ++k) {
      worst = std::max(worst, (std::fabs(drawn.draws[2 * i + k] - exact[k]) - 1) / length);
    }
  }
  EXPECT_LT(worst, 0x1p-48);
}

TEST(DrawPairs, ListsRadiiThatNeedMoreDigits) {
  std::vector<std::uint64_t> words(2 * kPairMultiple, 0x1234567890abcdef);
  words[0] = 0;
  words[2] = (1UL << 48) - 1;
  words[4] = 1UL << 48;
  words[6] = ~0UL;
  words[8] = ~((1UL << 48) - 1);
  words[10] = ~(1UL << 48);
  std::vector<double> draws(words.size());
  std::vector<std::uint32_t> undecided(kPairMultiple);
  undecided.resize(draw_pairs(words, 1025.3, draws, undecided));
  EXPECT_EQ(undecided, (std::vector<std::uint32_t>{0, 1, 3, 4}));
}

}  // namespace
}  // namespace ration
