#include "ration/train/clipping.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "ration/model/pass.h"
#include "ration/noise/lattice.h"
#include "tests/refusal.h"

namespace ration::train {
namespace {

using Gradient = std::vector<float>;  // errors, then activations: entry (j, k) is their product
constexpr std::size_t kErrors = 4, kActivations = 5, kEntries = kErrors * kActivations;

float error_of(const Gradient& g, std::size_t entry) { return g[entry / kActivations]; }
float activation_of(const Gradient& g, std::size_t entry) {
  return g[kErrors + entry % kActivations];
}

double norm_of(const Gradient& g) {
  long double sum = 0;
  for (std::size_t i = 0; i < kEntries; ++i) {
    const long double x = static_cast<long double>(error_of(g, i)) * activation_of(g, i);
    sum += x * x;
  }
  return static_cast<double>(std::sqrt(sum)) * (1 + 0x1p-50);
}

// One entry of the sum of a block, in float32, in one of several orders.
float float_sum(const std::vector<Gradient>& block, std::size_t entry, int order) {
  std::vector<float> parts;
  const auto product = [&](std::size_t i) {
    return error_of(block[i], entry) * activation_of(block[i], entry);
  };
  const std::size_t n = block.size();
  const std::size_t lanes = order == 4 ? 8 : 1;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    float sum = 0;
    for (std::size_t i = lane; i < n; i += lanes) {
      const std::size_t from_both_ends = i % 2 == 0 ? i / 2 : n - 1 - i / 2;
      const std::size_t at = order == 1 ? n - 1 - i : order == 2 ? from_both_ends : i;
      sum = order == 3 ? std::fma(error_of(block[at], entry), activation_of(block[at], entry), sum)
                       : sum + product(at);
    }
    parts.push_back(sum);
  }
  while (parts.size() > 1) {  // pairwise
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      parts[i] += parts[i + 1];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  }
  return parts[0];
}

void add_block(LatticeSum& sum, const std::vector<Gradient>& block, int order) {
  std::vector<float> entries(kEntries);
  for (std::size_t i = 0; i < kEntries; ++i) entries[i] = float_sum(block, i, order);
  sum.add(entries);
}

double distance(const LatticeSum& a, const LatticeSum& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kEntries; ++i) {
    const double x = (a.multiples()[i] - b.multiples()[i]) * a.step();
    sum += x * x;
  }
  return std::sqrt(sum) * (1 - 0x1p-45);
}

// Of norm `clip` or a little less: spread over all entries or in one, alone or against the one
// before.
std::vector<Gradient> adversarial_people(std::size_t people, double clip,
                                         std::mt19937_64& generator) {
  std::normal_distribution<float> normal;
  const bool cancelling = generator() % 2 == 0, concentrated = generator() % 2 == 0;
  const bool alike = generator() % 2 == 0;
  std::vector<Gradient> all;
  for (std::size_t i = 0; i < people; ++i) {
    Gradient g(kErrors + kActivations);
    for (float& x : g) x = normal(generator);
    if (concentrated) {
      for (std::size_t k = 0; k < g.size(); ++k)
        g[k] = k == 1 || k == 6 ? 1 + 0.01F * std::fabs(g[k]) : g[k] * 1e-6F;
    }
    if (alike && i > 0) g = all[0];
    if (cancelling && i % 2 == 1) {
      g = all[i - 1];
      for (std::size_t k = 0; k < kErrors; ++k) g[k] = -g[k];
    }
    const auto factor = static_cast<float>(clip / norm_of(g));
    for (std::size_t k = 0; k < kErrors; ++k) g[k] *= factor * (1 - 0x1p-20F);
    EXPECT_LE(norm_of(g), clip);
    all.push_back(g);
  }
  return all;
}

TEST(RoundingSlack, CoversWhatOnePersonsRemovalChangesInTheirBlock) {
  std::mt19937_64 generator(1);
  double largest = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t people = 2 + generator() % 127;
    const double clip = std::ldexp(1 + 1e-3 * static_cast<double>(generator() % 1000),
                                   static_cast<int>(generator() % 60) - 30);
    // A coarse lattice hides the roundings of the sums, a fine one shows them.
    const double step = lattice_step(clip, kEntries) * (round % 2 == 0 ? 1 : 0x1p-10);
    const double slack = rounding_slack(
        {.people = people, .range = 0, .block = people, .entries = kEntries}, step, clip);
    const std::vector<Gradient> block = adversarial_people(people, clip, generator);
    std::vector<Gradient> without = block;
    const std::size_t person = generator() % people;
    without[person].assign(kErrors + kActivations, 0.F);
    for (int order = 0; order < 5; ++order) {
      LatticeSum all(kEntries, step), rest(kEntries, step);
      add_block(all, block, order);
      add_block(rest, without, static_cast<int>(generator() % 2) * order);
      const double change = distance(all, rest);
      ASSERT_LE(change, norm_of(block[person]) + slack);
      largest = std::max(largest, std::fabs(change - norm_of(block[person])) / slack);
    }
  }

  EXPECT_GT(largest, 0.1) << "the cases are too tame to say anything";
}

// One draw moves others of the range to another place or block.
TEST(RoundingSlack, CoversWhatOneDrawChangesInAllBlocksOfARange) {
  std::mt19937_64 generator(2);
  for (int round = 0; round < 100; ++round) {
    constexpr std::size_t kBlock = 16;
    const double clip = 3;
    const double step = lattice_step(clip, kEntries) * (round % 2 == 0 ? 1 : 0x1p-8);
    const std::size_t people = 20 + generator() % 200;
    // All of them are drawn: the most that is possible.
    const double slack = rounding_slack(
        {.people = people, .range = people, .rate = 0.999, .block = kBlock, .entries = kEntries},
        step, clip);
    const std::vector<Gradient> drawn = adversarial_people(people, clip, generator);
    const std::size_t person = generator() % people;
    const auto packed_sum = [&](bool with, int order) {
      LatticeSum sum(kEntries, step);
      std::vector<Gradient> block;
      for (std::size_t i = 0; i < people; ++i) {
        if (with || i != person) block.push_back(drawn[i]);
        if (block.size() < kBlock && i + 1 < people) continue;
        if (!block.empty()) add_block(sum, block, order);
        block.clear();
      }
      return sum;
    };
    for (const int order : {0, 1, 3, 4}) {
      ASSERT_LE(distance(packed_sum(true, order), packed_sum(false, order)),
                norm_of(drawn[person]) + slack);
    }
  }
}

// People of several records, which cancel out but for a part of norm `clip` at most and have norms
// of kMostSpread times that together: what one person's place changes in all blocks of a range,
// each of which holds whole people.
TEST(RoundingSlack, CoversWhatOnePersonOfSeveralRecordsChanges) {
  std::mt19937_64 generator(3);
  double largest = 0;
  for (int round = 0; round < 200; ++round) {
    constexpr std::size_t kBlock = 16;
    const double clip = 3;
    const double step = lattice_step(clip, kEntries) / 8 * (round % 2 == 0 ? 1 : 0x1p-8);
    const std::size_t people = 2 + generator() % 31;
    const double slack = rounding_slack({.people = people,
                                         .range = people,
                                         .rate = round % 4 < 2 ? 1.0 : 0.999,
                                         .block = kBlock,
                                         .entries = kEntries,
                                         .together = true},
                                        step, clip);
    std::vector<std::vector<Gradient>> records(people);
    for (auto& own : records) {
      const std::size_t pairs = 1 + generator() % (kBlock / 2 - 1);
      const double each = kMostSpread * clip / (2.0 * static_cast<double>(pairs) + 1) * 0.99;
      for (std::size_t k = 0; k < pairs; ++k) {
        Gradient one = adversarial_people(1, each, generator)[0];
        own.push_back(one);
        for (std::size_t e = 0; e < kErrors; ++e) one[e] = -one[e];
        own.push_back(one);
      }
      own.push_back(adversarial_people(1, std::min(each, clip), generator)[0]);
      std::shuffle(own.begin(), own.end(), generator);
    }
    const std::size_t person = generator() % people;
    const auto packed_sum = [&](bool with, int order) {
      LatticeSum sum(kEntries, step);
      std::vector<Gradient> block;
      for (std::size_t i = 0; i < people; ++i) {
        if (!with && i == person) continue;
        if (block.size() + records[i].size() > kBlock) {
          add_block(sum, block, order);
          block.clear();
        }
        block.insert(block.end(), records[i].begin(), records[i].end());
      }
      if (!block.empty()) add_block(sum, block, order);
      return sum;
    };
    long double square = 0;
    for (std::size_t entry = 0; entry < kEntries; ++entry) {
      long double sum = 0;
      for (const Gradient& g : records[person])
        sum += static_cast<long double>(error_of(g, entry)) * activation_of(g, entry);
      square += sum * sum;
    }
    const auto own = static_cast<double>(std::sqrt(square)) * (1 + 0x1p-50);
    for (const int order : {0, 1, 3, 4}) {
      const double change = distance(packed_sum(true, order), packed_sum(false, order));
      ASSERT_LE(change, own + slack);
      largest = std::max(largest, std::fabs(change - own) / slack);
    }
  }
  EXPECT_GT(largest, 0.01) << "the cases are too tame to say anything";
}

TEST(RoundingSlack, IsAFifthOfAPerCentInTheClinicalExperiment) {
  const Clip clip = 0.7872438989061009;
  const SumShape shape = {.people = 29'250, .range = 0, .block = 128, .entries = 273'085};
  const double slack = rounding_slack(shape, lattice_step(clip, shape.entries), clip) / clip;
  EXPECT_LT(slack, 0.0021);
  EXPECT_GT(slack, 0.0019);
}

// The trainer's ranges: 48 drawn on average.
TEST(RoundingSlack, OfASampleIsHalfAPerCentWhateverTheNumberOfPeople) {
  for (const std::size_t people : {60'000UL, 10'000'000UL}) {
    const SumShape shape = {
        .people = people, .range = 9600, .rate = 0.005, .block = 128, .entries = 100'000};
    EXPECT_LT(rounding_slack(shape, lattice_step(1.0, shape.entries), 1.0), 0.005);
  }
}

TEST(RoundingSlack, GrowsWithTheBlockTheRangeTheRateAndTheLattice) {
  const auto slack = [](std::size_t range, double rate, std::size_t block, double step) {
    return rounding_slack(
        {.people = 60'000, .range = range, .rate = rate, .block = block, .entries = 100'000}, step,
        1.0);
  };
  const double usual = slack(10'000, 0.005, 128, 0x1p-22);
  EXPECT_LT(slack(5'000, 0.005, 128, 0x1p-22), usual);
  EXPECT_LT(slack(10'000, 0.005, 64, 0x1p-24), usual);
  EXPECT_GT(slack(10'000, 0.01, 128, 0x1p-22), usual);
  EXPECT_LT(slack(0, 1, 128, 0x1p-22), usual);
  EXPECT_LT(slack(0, 1, 128, 0x1p-24), slack(0, 1, 128, 0x1p-22));
}

TEST(RoundingSlack, RefusesRoundingThatWouldEatTheClip) {
  const auto slack = [](SumShape shape, double step) {
    return refusal([&] { rounding_slack(shape, step, 1.0); });
  };
  EXPECT_EQ(slack({.people = 100, .range = 0, .block = 100, .entries = 4}, 0.25),
            "rounding of the sum, as a part of the clip bound, is 0.5012278632205678: give at most "
            "1/4: take smaller blocks or a finer lattice");
  EXPECT_NE(slack({.people = 100'000, .range = 100'000, .rate = 0.5, .block = 128, .entries = 4},
                  0x1p-20),
            "accepted");
  EXPECT_NE(slack({.people = 0, .range = 0, .block = 128, .entries = 4}, 0x1p-20), "accepted");
  EXPECT_NE(slack({.people = 10, .range = 0, .rate = 0.5, .block = 12, .entries = 4}, 0x1p-20),
            "accepted");
  EXPECT_NE(slack({.people = 10, .range = 0, .block = 0, .entries = 4}, 0x1p-20), "accepted");
  EXPECT_NE(slack({.people = 10, .range = 0, .block = 5000, .entries = 4}, 0x1p-20), "accepted");
  EXPECT_NE(slack({.people = 10, .range = 0, .block = 128, .entries = 0}, 0x1p-20), "accepted");
  EXPECT_NE(slack({.people = 10, .range = 0, .block = 128, .entries = 4}, 0), "accepted");
  EXPECT_NE(slack({.people = 1 << 20, .range = 0, .block = 128, .entries = 4}, 0x1p-30), "accepted")
      << "overflow";
  EXPECT_EQ(slack({.people = 1 << 20, .range = 0, .block = 128, .entries = 4}, 0x1p-29),
            "accepted");
}

// log2 P(at least k of n), from the largest terms down.
double log2_upper_tail(std::size_t k, std::size_t n, double q) {
  const auto count = static_cast<double>(n);
  const auto log_term = [&](double i) {
    return std::lgamma(count + 1) - std::lgamma(i + 1) - std::lgamma(count - i + 1) +
           i * std::log(q) + (count - i) * std::log1p(-q);
  };
  const double first = log_term(static_cast<double>(k));
  double sum = 0;
  for (std::size_t i = k; i <= n && i < k + 3000; ++i)
    sum += std::exp(log_term(static_cast<double>(i)) - first);
  return (first + std::log(sum)) / std::log(2.0);
}

RC_GTEST_PROP(MostDrawn, IsExceededWithProbabilityBelowTwoToTheMinus120, ()) {
  const auto people = *rc::gen::inRange<std::size_t>(1, 1'000'000);
  const double rate = std::exp(-*rc::gen::inRange(0, 14'000) / 1000.0);
  const std::size_t most = most_drawn(people, rate);
  RC_ASSERT(most <= people);
  const double mean = static_cast<double>(people) * rate;
  if (most < people) RC_ASSERT(log2_upper_tail(most + 1, people, rate) < -120);
  // And it is not much too large: at nine tenths of the way from the mean it would be.
  const auto closer = static_cast<std::size_t>(mean + 0.9 * (static_cast<double>(most) - mean));
  if (most > 50 && closer < most && rate < 1)
    RC_ASSERT(log2_upper_tail(closer, people, rate) > -120);
}

TEST(MostDrawn, IsEverybodyAtRateOneAndInSmallGroups) {
  EXPECT_EQ(most_drawn(1000, 1.0), 1000U);
  EXPECT_EQ(most_drawn(10, 0.5), 10U);
  EXPECT_EQ(most_drawn(0, 0.5), 0U);
  EXPECT_EQ(most_drawn(1'000'000, 1e-12), 5U);
}

}  // namespace
}  // namespace ration::train
