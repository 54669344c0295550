// People with several records: their contribution is the sum over their records, and it is drawn,
// clipped and paid for once.

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>

#include "ration/control/gdp_currency.h"
#include "ration/model/blocks.h"
#include "ration/model/full_batch.h"
#include "ration/model/metrics.h"
#include "ration/train/trainer.h"
#include "tests/model/plain_network.h"
#include "tests/refusal.h"
#include "tests/train/small_people.h"

namespace ration::train {
namespace {

constexpr std::size_t kInputs = 12, kOutputs = 4;
const Architecture kLinear = {.inputs = kInputs, .outputs = kOutputs};
const Architecture kHidden = {.inputs = kInputs, .outputs = kOutputs, .hidden = {9}};

// 1 to 7 records each, or as many as `records` says.
People people_with_records(std::size_t people, std::size_t records = 0, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<std::size_t> begins = {0};
  for (std::size_t i = 0; i < people; ++i) {
    begins.push_back(begins.back() + (records == 0 ? 1 + random() % 7 : records));
  }
  People all = small_people(begins.back(), kInputs, kOutputs, LabelKind::one, seed);
  all.begins = begins;
  return all;
}

// Each record is there `times` times in a row, and all of them are one person's.
People repeated(const People& once, std::size_t times) {
  People people = {.features = {.rows = once.records() * times, .columns = kInputs, .values = {}},
                   .labels = {.kind = once.labels.kind, .names = once.labels.names}};
  for (std::size_t i = 0; i < once.records(); ++i) {
    people.begins.push_back(i * times);
    for (std::size_t k = 0; k < times; ++k) {
      const auto features = once.features.row(i);
      const auto labels = once.labels.of(i);
      people.features.values.insert(people.features.values.end(), features.begin(), features.end());
      people.labels.values.insert(people.labels.values.end(), labels.begin(), labels.end());
    }
  }
  people.begins.push_back(once.records() * times);
  return people;
}

TrainingPlan everybody(double clip) {
  return {.step = {.noise = 5, .clip = clip}, .delta = 1e-5, .epochs = 100};
}
TrainingPlan sampled(double clip, std::optional<std::uint64_t> refresh) {
  return {.step = {.noise = 5, .clip = clip, .rate = 0.4},
          .delta = 1e-5,
          .epochs = 100,
          .refresh = refresh};
}

std::vector<float> parameters_of(const Architecture& architecture) {
  return random_floats(architecture.parameters(), 3, 0.3F);
}

// What the sum of a step holds beside the noise, as far as float32 parameters show it: the noise is
// the same where nobody contributes anything.
struct Measured {
  std::vector<double> sum;
  std::vector<float> charges;
};
Measured one_step(const Architecture& architecture, const People& people,
                  const TrainingPlan& plan) {
  constexpr double kRate = 1e6;
  People nobody = people;
  std::fill(nobody.features.values.begin(), nobody.features.values.end(), 3e38F);
  Measured measured;
  std::vector<std::vector<float>> ends;
  for (const People* side : {&people, static_cast<const People*>(&nobody)}) {
    Trainer trainer(architecture, SgdRule{.rate = kRate}, plan, *side, SecretStream::of_seed(5),
                    {.parameters = parameters_of(architecture)},
                    Books(people.count(), Buckets::from(plan.step.noise)));
    trainer.step([&](std::span<const float> charges, bool) {
      if (side == &people) measured.charges.assign(charges.begin(), charges.end());
    });
    ends.emplace_back(trainer.parameters().begin(), trainer.parameters().end());
  }
  const double scale = plan.step.rate * static_cast<double>(people.count()) / kRate;
  for (std::size_t k = 0; k < ends[0].size(); ++k)
    measured.sum.push_back((double{ends[1][k]} - double{ends[0][k]}) * scale);
  return measured;
}

double norm_of(std::span<const double> x) {
  double square = 0;
  for (const double one : x) square += one * one;
  return std::sqrt(square);
}

// A person's gradient and the norms of their records, written down plainly.
struct Plain {
  std::vector<double> sum;
  double together = 0;
};
Plain plain_person(const PlainNetwork& network, const People& people, std::size_t person) {
  Plain plain;
  for (std::size_t r = people.first_record(person); r < people.first_record(person + 1); ++r) {
    const auto one = network.gradient(people.features.row(r), people.labels.of(r));
    plain.sum.resize(one.size());
    for (std::size_t k = 0; k < one.size(); ++k) plain.sum[k] += one[k];
    plain.together += norm_of(one);
  }
  return plain;
}

TEST(Records, NormsAreThoseOfTheSummedGradient) {
  for (const Architecture& architecture : {kLinear, kHidden}) {
    const People people = people_with_records(90);
    const std::vector<float> parameters = parameters_of(architecture);
    const PlainNetwork network(architecture, parameters);
    const auto norms = gradient_norms(architecture, parameters, people).norms;
    ASSERT_EQ(norms.size(), 90u);
    std::size_t by_spread = 0;
    for (std::size_t i = 0; i < people.count(); ++i) {
      const Plain plain = plain_person(network, people, i);
      const double expected = std::max(norm_of(plain.sum), plain.together / kMostSpread);
      by_spread += norm_of(plain.sum) < expected ? 1 : 0;
      EXPECT_NEAR(double{norms[i]} / expected, 1, 1e-5) << i;
    }
    EXPECT_LT(by_spread, 10u) << "the sum decides";
  }
}

// In a linear model activations are the features, and errors the part of the biases: the very
// floats, so that the claim can be held to its last digit.
TEST(Records, NormsAreNeverBelowTheGradientThatIsSummed) {
  People people = people_with_records(60);
  // Some records cancel out, all but exactly.
  for (std::size_t p = 0; p < 20; ++p) {
    for (std::size_t r = people.first_record(p) + 1; r < people.first_record(p + 1); r += 2) {
      for (std::size_t j = 0; j < kInputs; ++j)
        people.features.row(r)[j] = people.features.row(r - 1)[j] * (p % 2 == 0 ? 1.0F : -1.0F);
    }
  }
  const std::vector<float> parameters = parameters_of(kLinear);
  const Network network(kLinear, parameters);
  const auto norms = gradient_norms(network, people).norms;
  Pass pass(kLinear, 1);
  for (std::size_t p = 0; p < people.count(); ++p) {
    std::vector<long double> sum(kLinear.parameters());
    for (std::size_t r = people.first_record(p); r < people.first_record(p + 1); ++r) {
      std::vector<float> loss(1), gradient(kLinear.parameters());
      pass.gradients(network, block_of(people, r, 1), loss);
      pass.weighted_sum(std::vector<float>{1}, gradient);
      const auto errors = std::span(gradient).last(kOutputs);
      for (std::size_t o = 0; o < kOutputs; ++o) {
        for (std::size_t j = 0; j < kInputs; ++j) {
          sum[o * kInputs + j] += static_cast<long double>(errors[o]) * people.features.row(r)[j];
        }
        sum[kOutputs * kInputs + o] += errors[o];
      }
    }
    long double square = 0;
    for (const long double x : sum) square += x * x;
    EXPECT_GE(static_cast<long double>(norms[p]), std::sqrt(square)) << p;
    EXPECT_GT(norms[p], 0.0F);
  }
}

TEST(Records, OneRecordEachHasTheNormOfBefore) {
  People people = small_people(300, kInputs, kOutputs, LabelKind::one);
  const std::vector<float> parameters = parameters_of(kHidden);
  const LossesAndNorms before = gradient_norms(kHidden, parameters, people);
  people = repeated(people, 1);
  const LossesAndNorms after = gradient_norms(kHidden, parameters, people);
  EXPECT_EQ(before.norms, after.norms);
  EXPECT_EQ(before.losses, after.losses);
}

TEST(Records, WithARecordThatIsNotFiniteAPersonContributesNothingAndPaysInFull) {
  People people = people_with_records(40, 3);
  for (float& x : people.features.row(people.first_record(7) + 1)) x = 3e38F;
  const double clip = 1;
  const Measured with = one_step(kLinear, people, everybody(clip));
  EXPECT_EQ(with.charges[7], 1.0F);
  for (std::size_t r = people.first_record(7); r < people.first_record(8); ++r)
    for (float& x : people.features.row(r)) x = 3e38F;
  EXPECT_EQ(one_step(kLinear, people, everybody(clip)).sum, with.sum);
}

TEST(Records, AStepIsThatOfClippedSumsInDoubles) {
  for (const Architecture& architecture : {kLinear, kHidden}) {
    const People people = people_with_records(100);
    for (const double clip : {0.05, 2.0, 50.0}) {
      const Measured measured = one_step(architecture, people, everybody(clip));
      const PlainNetwork network(architecture, parameters_of(architecture));
      std::vector<double> expected(architecture.parameters());
      for (std::size_t i = 0; i < people.count(); ++i) {
        const Plain plain = plain_person(network, people, i);
        const double norm = std::max(norm_of(plain.sum), plain.together / kMostSpread);
        // Less than a per cent is left for rounding.
        const double most = 0.995 * clip;
        const double weight = std::min(1.0, most / norm);
        for (std::size_t k = 0; k < expected.size(); ++k) expected[k] += weight * plain.sum[k];
      }
      std::vector<double> difference(expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k)
        difference[k] = measured.sum[k] - expected[k];
      EXPECT_LT(norm_of(difference), 0.01 * norm_of(expected) + 1e-3 * clip) << clip;
    }
  }
}

// The same with a person and without: by how much the sum moves.
double moved_by(const Architecture& architecture, const People& people, std::size_t person,
                const TrainingPlan& plan, const Measured& with) {
  People without = people;
  for (std::size_t r = people.first_record(person); r < people.first_record(person + 1); ++r)
    for (float& x : without.features.row(r)) x = 3e38F;
  const Measured other = one_step(architecture, without, plan);
  std::vector<double> difference(with.sum.size());
  for (std::size_t k = 0; k < difference.size(); ++k) difference[k] = with.sum[k] - other.sum[k];
  return norm_of(difference);
}

// The same people, but one of them has so many copies of their first record.
People with_copies(const People& people, std::size_t person, std::size_t copies) {
  People changed = {.features = {.rows = 0, .columns = kInputs, .values = {}},
                    .labels = {.kind = people.labels.kind, .names = people.labels.names}};
  for (std::size_t i = 0; i < people.count(); ++i) {
    const std::size_t first = people.first_record(i);
    changed.begins.push_back(changed.features.rows);
    for (std::size_t k = 0; k < (i == person ? copies : people.records_of(i)); ++k) {
      const auto features = people.features.row(i == person ? first : first + k);
      const auto labels = people.labels.of(i == person ? first : first + k);
      changed.features.values.insert(changed.features.values.end(), features.begin(),
                                     features.end());
      changed.labels.values.insert(changed.labels.values.end(), labels.begin(), labels.end());
      ++changed.features.rows;
    }
  }
  changed.begins.push_back(changed.features.rows);
  return changed;
}

// Rounding differs from block to block. Whoever pays nothing moves nobody to another one.
TEST(Records, AnyoneWhoIsLeftOutChangesNoBitOfTheSumHoweverManyRecordsTheyHave) {
  const People people = people_with_records(200, 5);
  std::vector<std::uint32_t> kinds(200, 0);
  kinds[7] = 1;
  std::vector<std::vector<float>> ends;
  for (const std::size_t copies : {std::size_t{1}, std::size_t{128}}) {
    const People changed = with_copies(people, 7, copies);
    const TrainingPlan plan = everybody(0.5);
    Filter filter(200, gdp_currency(),
                  {.kinds = {MuBudget{100}, MuBudget{1e-5}}, .kind_of = kinds});
    Trainer trainer(kHidden, SgdRule{.rate = 1e6}, plan, changed, SecretStream::of_seed(5),
                    {.parameters = parameters_of(kHidden)},
                    Books(200, Buckets::from(plan.step.noise), filter));
    trainer.step();
    EXPECT_EQ(trainer.active()[7], 0);
    EXPECT_EQ(trainer.active()[8], 1);
    ends.emplace_back(trainer.parameters().begin(), trainer.parameters().end());
  }
  EXPECT_EQ(ends[0], ends[1]);
}

// Everybody is there twice: a canary in two records is clipped once, and pays once.
TEST(Records, TheLargestContributionOfAnybodyNeverExceedsTheClipBound) {
  People once = small_people(50, kInputs, kOutputs, LabelKind::one);
  for (float& x : once.features.row(7)) x *= 1000;
  once.labels.values[7] = static_cast<std::uint16_t>((once.labels.values[7] + 1) % kOutputs);
  const People twice = repeated(once, 2);
  for (const double clip : {0.01, 3.0}) {
    for (const TrainingPlan& plan :
         {everybody(clip), sampled(clip, 1), sampled(clip, 3), sampled(clip, {})}) {
      const Measured with = one_step(kLinear, twice, plan);
      ASSERT_EQ(with.charges.size(), 50u);
      double largest = 0;
      for (std::size_t person = 0; person < 50; ++person) {
        EXPECT_LE(double{with.charges[person]}, clip * (1 + 1e-6));
        const double moved = moved_by(kLinear, twice, person, plan, with);
        EXPECT_LE(moved, double{with.charges[person]} + 1e-3 * clip) << person;
        largest = std::max(largest, moved);
      }
      EXPECT_LE(largest, clip * (1 + 1e-3));
      EXPECT_GT(largest, 0.9 * clip) << "nobody is at the bound";
      EXPECT_GE(double{with.charges[7]}, clip) << "the canary";
    }
  }
}

// Norms that are held clip people in between, whatever their gradients are by then.
TEST(Records, HeldNormsClipTheSumInBetween) {
  const People people = people_with_records(60);
  const TrainingPlan plan = sampled(3, 50);
  constexpr double kRate = 1e6;
  std::vector<float> held(60, 1e-3F);
  double distance = 0;
  std::vector<std::vector<float>> ends;
  for (const bool contribute : {true, false}) {
    Trainer trainer(kLinear, SgdRule{.rate = kRate}, plan, people, SecretStream::of_seed(5),
                    {.step = 1,
                     .parameters = parameters_of(kLinear),
                     .held_norms = contribute ? held : std::vector<float>(60, 0.0F)},
                    [&] {
                      Books books(60, Buckets::from(plan.step.noise));
                      std::vector<std::uint8_t> mask(60);
                      books.charge(plan.step, held, mask);
                      return books;
                    }());
    trainer.step();
    ends.emplace_back(trainer.parameters().begin(), trainer.parameters().end());
  }
  for (std::size_t k = 0; k < ends[0].size(); ++k)
    distance += std::pow((double{ends[0][k]} - ends[1][k]) * 0.4 * 60 / kRate, 2);
  EXPECT_LE(std::sqrt(distance), 60 * 1e-3 + 1e-3);
  EXPECT_GT(std::sqrt(distance), 1e-3);
}

TEST(Records, WhatTwoRecordsCostIsTheirSumOnce) {
  const People once = small_people(80, kInputs, kOutputs, LabelKind::one);
  const People twice = repeated(once, 2);
  const double clip = 1000;  // nobody is clipped
  const auto single = gradient_norms(kLinear, parameters_of(kLinear), once).norms;
  Trainer trainer(kLinear, SgdRule{.rate = 0.1}, everybody(clip), twice, SecretStream::of_seed(1),
                  {.parameters = parameters_of(kLinear)}, Books(80, Buckets::from(5)));
  std::vector<float> charges;
  trainer.step([&](std::span<const float> all, bool) { charges.assign(all.begin(), all.end()); });
  EXPECT_EQ(trainer.people(), 80u);
  EXPECT_EQ(trainer.settle_books().accounts.people(), 80u);
  const float slack = trainer.clipping().charge_if_summed(0);
  for (std::size_t i = 0; i < 80; ++i)
    EXPECT_NEAR(charges[i], 2 * single[i] + slack, 1e-5F * single[i] + 1e-6F * slack);
}

TEST(Records, RoundingCostsLessThanHalfAPerCentForEverybodyAndLessThanTwoInSamples) {
  const People people = people_with_records(5000, 2);
  const auto slack = [&](const TrainingPlan& plan) {
    const Trainer trainer(kHidden, SgdRule{.rate = 0.1}, plan, people, SecretStream::of_seed(1));
    return double{trainer.clipping().charge_if_summed(0)};
  };
  EXPECT_LT(slack(everybody(1)), 0.005);
  TrainingPlan rare = sampled(1, 10);
  rare.step.rate = 0.01;
  EXPECT_LT(slack(rare), 0.015);
}

TEST(Records, ResultsDoNotDependOnTheNumberOfThreads) {
  const People people = people_with_records(150);
  const int threads = omp_get_max_threads();
  for (const TrainingPlan& plan : {everybody(0.5), sampled(0.5, 3)}) {
    std::vector<std::vector<float>> ends, losses;
    for (const int used : {1, 2, 5}) {
      omp_set_num_threads(used);
      Trainer trainer(kHidden, AdamRule{.rate = 0.05}, plan, people, SecretStream::of_seed(2));
      for (int i = 0; i < 6; ++i) trainer.step();
      ends.emplace_back(trainer.parameters().begin(), trainer.parameters().end());
      losses.emplace_back(trainer.losses().begin(), trainer.losses().end());
    }
    omp_set_num_threads(threads);
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_EQ(ends[0], ends[2]);
    EXPECT_EQ(losses[0], losses[2]);
    EXPECT_EQ(losses[0].size(), 150u);
  }
}

TEST(Records, ATestCountsEachPersonOnce) {
  const People once = small_people(200, kInputs, kOutputs, LabelKind::one);
  const People often = repeated(once, 4);
  const std::vector<float> parameters = parameters_of(kHidden);
  const Quality before = evaluate(kHidden, parameters, once).everybody;
  const Quality after = evaluate(kHidden, parameters, often).everybody;
  EXPECT_EQ(after.people, 200u);
  EXPECT_NEAR(*after.loss, *before.loss, 1e-12);
  EXPECT_NEAR(*after.score, *before.score, 1e-12);
  EXPECT_NEAR(*after.majority, *before.majority, 1e-12);
}

TEST(Records, AnAreaUnderTheCurveIsOverRecords) {
  Architecture architecture = kHidden;
  architecture.loss = Loss::binary;
  const std::vector<float> parameters = parameters_of(architecture);
  People people = small_people(120, kInputs, kOutputs, LabelKind::many);
  const Quality apart = evaluate(architecture, parameters, people).everybody;
  for (std::size_t i = 0; i <= 120; i += 3) people.begins.push_back(i);
  people.groups = {.of_person = std::vector<std::uint32_t>(40), .labels = {"a", "b"}};
  people.groups.of_person[5] = 1;
  const Evaluation together = evaluate(architecture, parameters, people);
  EXPECT_EQ(together.everybody.people, 40u);
  EXPECT_EQ(together.everybody.label_auc, apart.label_auc);
  EXPECT_NEAR(*together.everybody.loss, *apart.loss, 1e-6) << "three records each";
  EXPECT_EQ(together.groups[1].people, 1u);
}

TEST(Records, WithoutPrivacyTheSumOfAllRecordsIsDividedByThePeople) {
  const People once = small_people(100, kInputs, kOutputs, LabelKind::one);
  const std::vector<float> parameters = parameters_of(kHidden);
  const auto single = mean_gradient(kHidden, parameters, once);
  const auto triple = mean_gradient(kHidden, parameters, repeated(once, 3));
  for (std::size_t k = 0; k < single.size(); ++k)
    EXPECT_NEAR(triple[k], 3 * single[k], 1e-5F + 1e-5F * std::fabs(single[k]));
}

TEST(Records, PeopleWithoutOrWithTooManyAreRefused) {
  People people = people_with_records(10, 2);
  people.begins[3] = people.begins[2];
  EXPECT_NE(refusal([&] { gradient_norms(kLinear, parameters_of(kLinear), people); }), "accepted");
  people = people_with_records(1, kBlockPeople + 1);
  EXPECT_NE(refusal([&] { gradient_norms(kLinear, parameters_of(kLinear), people); }), "accepted");
  people = people_with_records(1, kBlockPeople);
  EXPECT_EQ(refusal([&] { gradient_norms(kLinear, parameters_of(kLinear), people); }), "accepted");
}

}  // namespace
}  // namespace ration::train
