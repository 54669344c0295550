#include "ration/noise/noise.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/refusal.h"

namespace ration {
namespace {

constexpr double kDeviation = 0x1.3p20;  // in lattice steps

std::vector<double> noise(std::size_t entries, double deviation, std::uint64_t seed,
                          std::uint64_t step) {
  LatticeSum sum(entries, 0.25);
  add_noise(sum, deviation / 4, SecretStream::of_seed(seed), step);
  return {sum.multiples().begin(), sum.multiples().end()};
}

// 10 steps of 10^6 draws, in deviations.
const std::vector<std::vector<double>>& many_draws() {
  static const auto draws = [] {
    std::vector<std::vector<double>> steps;
    for (std::uint64_t step = 0; step < 10; ++step) {
      steps.push_back(noise(1'000'000, kDeviation, 1, step));
      for (double& x : steps.back()) x /= kDeviation;
    }
    return steps;
  }();
  return draws;
}
constexpr double kDraws = 1e7;

template <class F>
double mean_of(const F& f) {
  double sum = 0;
  for (const auto& step : many_draws()) {
    for (const double x : step) sum += f(x);
  }
  return sum / kDraws;
}

// Means of powers of a normal draw: E x^2k = 1, 3, 15, 105, ...
TEST(Noise, HasTheMomentsOfTheNormalDistribution) {
  const double root = std::sqrt(kDraws);
  EXPECT_LT(std::fabs(mean_of([](double x) { return x; })), 5 / root);
  EXPECT_LT(std::fabs(mean_of([](double x) { return x * x; }) - 1), 5 * std::sqrt(2.0) / root);
  EXPECT_LT(std::fabs(mean_of([](double x) { return x * x * x; })), 5 * std::sqrt(15.0) / root);
  EXPECT_LT(std::fabs(mean_of([](double x) { return x * x * x * x; }) - 3),
            5 * std::sqrt(105.0 - 9) / root);
}

TEST(Noise, HasBothTailsOfTheNormalDistribution) {
  for (const double bound : {0.5, 1.0, 2.0, 3.0, 4.0, 5.0}) {
    const double expected = std::erfc(bound / std::sqrt(2.0)) / 2 * kDraws;
    const double above = mean_of([&](double x) { return x > bound ? 1.0 : 0.0; }) * kDraws;
    const double below = mean_of([&](double x) { return x < -bound ? 1.0 : 0.0; }) * kDraws;
    const double tolerance = 5 * std::sqrt(expected) + 1;
    EXPECT_LT(std::fabs(above - expected), tolerance) << bound;
    EXPECT_LT(std::fabs(below - expected), tolerance) << bound;
  }
}

TEST(Noise, FillsTheBinsOfTheNormalDistribution) {
  constexpr int kBins = 801;  // of a hundredth, from -4 to 4 and what lies outside
  std::vector<double> counts(kBins + 1);
  for (const auto& step : many_draws()) {
    for (const double x : step) {
      ++counts[static_cast<std::size_t>(std::clamp(std::ceil(x * 100) + 400, 0.0, double{kBins}))];
    }
  }
  const auto below = [](int bin) {  // of the upper end of a bin
    return bin == kBins ? 1 : std::erfc(-(bin - 400) / 100.0 / std::sqrt(2.0)) / 2;
  };
  double chi_square = 0;
  for (int bin = 0; bin <= kBins; ++bin) {
    const double expected = kDraws * (below(bin) - (bin == 0 ? 0 : below(bin - 1)));
    const double difference = counts[static_cast<std::size_t>(bin)] - expected;
    chi_square += difference * difference / expected;
  }
  EXPECT_LT(std::fabs(chi_square - kBins), 5 * std::sqrt(2.0 * kBins));
}

// Neighbours of one pair, of two pairs, and the same entry at two steps; squares as well, since
// both draws of a pair have one radius.
TEST(Noise, IsUncorrelatedBetweenNeighboursAndSteps) {
  const auto& draws = many_draws();
  const auto& x = draws[0];
  const auto check = [](const double* a, const double* b, std::size_t count, std::size_t stride) {
    double products = 0, squares = 0, terms = 0;
    for (std::size_t i = 0; i < count; i += stride, ++terms) {
      products += a[i] * b[i];
      squares += (a[i] * a[i] - 1) * (b[i] * b[i] - 1);
    }
    EXPECT_LT(std::fabs(products), 5 * std::sqrt(terms));
    EXPECT_LT(std::fabs(squares), 5 * 2 * std::sqrt(terms));
  };
  check(x.data(), x.data() + 1, x.size() - 1, 2);
  check(x.data() + 1, x.data() + 2, x.size() - 2, 2);
  check(x.data(), x.data() + 2, x.size() - 2, 1);
  check(x.data(), x.data() + 2048, x.size() - 2048, 1);  // a chunk further
  for (std::size_t step = 1; step < draws.size(); ++step) {
    check(x.data(), draws[step].data(), x.size(), 1);
  }
}

TEST(Noise, IsAddedInWholeStepsToWhatIsThere) {
  const SecretStream stream = SecretStream::of_seed(2);
  LatticeSum sum(5001, 0x1p-20);
  std::iota(sum.multiples().begin(), sum.multiples().end(), -2500.0);
  add_noise(sum, 1.0, stream, 0);
  LatticeSum zero(5001, 0x1p-20);
  add_noise(zero, 1.0, stream, 0);
  for (std::size_t i = 0; i < sum.entries(); ++i) {
    ASSERT_EQ(sum.multiples()[i], std::floor(sum.multiples()[i]));
    ASSERT_EQ(sum.multiples()[i] - zero.multiples()[i], static_cast<double>(i) - 2500);
  }
}

TEST(Noise, IsTheSameOnAnyNumberOfThreads) {
  std::vector<std::vector<double>> results;
  for (const int threads : {1, 2, 4}) {
    omp_set_num_threads(threads);
    results.push_back(noise(50'001, 0x1p40, 3, 4));  // fine enough to need many more digits
  }
  omp_set_num_threads(omp_get_num_procs());
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Noise, IsTheSameOnEveryInstructionSet) {
  std::vector<std::vector<double>> results;
  const auto supported = hwy::SupportedTargets();
  for (auto rest = supported; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    results.push_back(noise(20'000, 0x1.7p38, 5, 6));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST(Noise, OfAnEntryDependsOnNoOther) {
  const auto long_one = noise(4321, kDeviation, 7, 8);
  for (const std::size_t entries : {1UL, 2UL, 127UL, 2048UL, 2049UL}) {
    const auto short_one = noise(entries, kDeviation, 7, 8);
    EXPECT_TRUE(std::equal(short_one.begin(), short_one.end(), long_one.begin())) << entries;
  }
  EXPECT_NE(noise(10, kDeviation, 7, 8), noise(10, kDeviation, 7, 9));
  EXPECT_NE(noise(10, kDeviation, 7, 8), noise(10, kDeviation, 8, 8));
}

// The same digits on a lattice twice as fine: where the one rounds to k, the other rounds to 2k,
// or to a neighbour of it.
TEST(Noise, OnAFinerLatticeIsTheSameNoise) {
  for (const double deviation : {0x1p10, 0x1p26, 0x1p44}) {
    const auto coarse = noise(3000, deviation, 9, 0), fine = noise(3000, 2 * deviation, 9, 0);
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      ASSERT_LE(std::fabs(fine[i] - 2 * coarse[i]), 1) << deviation;
    }
  }
}

TEST(Noise, RefusesALatticeTooCoarseOrTooFineAndSumsOutOfRange) {
  const SecretStream stream = SecretStream::of_seed(1);
  LatticeSum sum(1, 0.5);
  EXPECT_EQ(refusal([&] { add_noise(sum, 511.0, stream, 0); }),
            "deviation of the noise, in lattice steps, is 1022: give 2^10 to 2^45");
  for (const double deviation : {0.0, -1000.0, 0x1.1p44, std::nan("")}) {
    EXPECT_NE(refusal([&] { add_noise(sum, deviation, stream, 0); }), "accepted") << deviation;
  }
  EXPECT_EQ(refusal([&] { add_noise(sum, 512.0, stream, 0); }), "accepted");
  EXPECT_EQ(refusal([&] { add_noise(sum, 0x1p44, stream, 0); }), "accepted");
  sum.add(std::vector<float>{1e30F});
  EXPECT_NE(refusal([&] { add_noise(sum, 1000.0, stream, 0); }), "accepted");
}

std::vector<std::uint32_t> sample(std::size_t people, double rate, std::uint64_t step) {
  return poisson_sample(people, rate, SecretStream::of_seed(10), step);
}

TEST(PoissonSample, DrawsThoseWhoseNumberLiesBelowTheRate) {
  for (const double rate : {0.3, 0.5, 0.005, 1e-12, 1 - 0x1p-53}) {
    std::vector<std::uint64_t> numbers(10'000);
    SecretStream::of_seed(10).fill(Purpose::sampling, 3, 0, numbers);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < numbers.size(); ++i) {
      if (static_cast<long double>(numbers[i]) + 1 <= rate * 0x1p64L) expected.push_back(i);
    }
    EXPECT_EQ(sample(numbers.size(), rate, 3), expected) << rate;
  }
}

TEST(PoissonSample, DrawsEverybodyAtRateOneAndHardlyAnybodyAtTinyRates) {
  const auto everybody = sample(5000, 1, 0);
  ASSERT_EQ(everybody.size(), 5000U);
  for (std::uint32_t i = 0; i < 5000; ++i) ASSERT_EQ(everybody[i], i);
  EXPECT_TRUE(sample(1'000'000, 1e-12, 0).empty());
  EXPECT_TRUE(sample(0, 0.5, 0).empty());
  EXPECT_NE(refusal([] { sample(std::size_t{1} << 32, 0.5, 0); }), "accepted");
}

TEST(PoissonSample, DrawsPeopleAndStepsIndependently) {
  constexpr std::size_t kPeople = 5000, kSteps = 1000;
  constexpr double kRate = 0.1, kAll = double{kPeople} * kSteps;
  std::vector<double> times(kPeople);
  std::vector<std::uint8_t> before(kPeople), now(kPeople);
  double drawn = 0, twice = 0, neighbours = 0, sizes = 0;
  for (std::size_t step = 0; step < kSteps; ++step) {
    std::fill(now.begin(), now.end(), std::uint8_t{0});
    const auto sampled = sample(kPeople, kRate, step);
    ASSERT_TRUE(std::is_sorted(sampled.begin(), sampled.end()));
    for (const std::uint32_t i : sampled) {
      now[i] = 1;
      ++times[i];
      twice += before[i];
      neighbours += i > 0 ? now[i - 1] : 0;
    }
    const auto size = static_cast<double>(sampled.size());
    drawn += size;
    sizes += (size - kRate * kPeople) * (size - kRate * kPeople);
    std::swap(before, now);
  }
  const auto expect = [](double found, double expected, double deviation) {
    EXPECT_LT(std::fabs(found - expected), 5 * deviation) << expected;
  };
  const double variance = kRate * (1 - kRate), pairs = kRate * kRate;
  expect(drawn, kRate * kAll, std::sqrt(variance * kAll));
  // Standard errors of counts of pairs, neighbouring pairs sharing a person included.
  const double pair_variance = pairs * (1 - pairs) + 2 * (pairs * kRate - pairs * pairs);
  expect(twice, pairs * kPeople * (kSteps - 1), std::sqrt(pair_variance * kAll));
  expect(neighbours, pairs * (kPeople - 1) * kSteps, std::sqrt(pair_variance * kAll));
  // Variances of the sizes and of how often each is drawn: chi-square.
  expect(sizes / (variance * kPeople), kSteps, std::sqrt(2.0 * kSteps));
  double spread = 0;
  for (const double t : times) spread += (t - kRate * kSteps) * (t - kRate * kSteps);
  expect(spread / (variance * kSteps), kPeople, std::sqrt(2.0 * kPeople));
}

TEST(PoissonSample, IsTheSameOnAnyNumberOfThreadsAndForEveryNumberOfPeople) {
  std::vector<std::vector<std::uint32_t>> results;
  for (const int threads : {1, 2, 4}) {
    omp_set_num_threads(threads);
    results.push_back(sample(60'001, 0.05, 1));
  }
  omp_set_num_threads(omp_get_num_procs());
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  const auto fewer = sample(10'000, 0.05, 1);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), results[0].begin()));
}

}  // namespace
}  // namespace ration
