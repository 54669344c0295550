#include "ration/dataset/cohort.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string>

#include "ration/base/error.h"
#include "ration/base/people.h"
#include "ration/dataset/public_random.h"

namespace ration {
namespace {

constexpr std::size_t kChannels = 17, kPeriods = 7, kStatistics = 6;
constexpr std::size_t kStates = 9;  // of a person: how ill they are, and eight more
enum Stream : std::uint64_t { model = 1, train = 2, test = 3 };

using States = std::array<float, kStates>;
float dot(const States& a, const States& b) {
  float sum = 0;
  for (std::size_t i = 0; i < kStates; ++i) sum += a[i] * b[i];
  return sum;
}

// A direction: `first` along severity, the rest spread at random over the other states; of length
// sqrt(first^2 + rest^2).
States direction(PublicRandom& random, float first, float rest) {
  States states;
  float square = 0;
  for (std::size_t i = 1; i < kStates; ++i) {
    states[i] = random.normal();
    square += states[i] * states[i];
  }
  for (float& state : states) state *= rest / std::sqrt(square);
  states[0] = first;
  return states;
}

// How each statistic of a channel comes from the channel's level, trend (over the periods) and
// spread, and from what the statistics of a period share; the remaining variance is its own.
struct Statistic {
  float level, trend, spread, period;
  float own() const {
    // Over the seven periods the square of kPosition is 0.461 on average.
    return std::sqrt(1 - level * level - 0.461f * trend * trend - spread * spread -
                     period * period);
  }
};
constexpr std::array<Statistic, kStatistics> kStatisticList = {{
    {.level = 0.6f, .trend = 0.35f, .spread = -0.3f, .period = 0.3f},  // minimum
    {.level = 0.6f, .trend = 0.35f, .spread = 0.3f, .period = 0.3f},   // maximum
    {.level = 0.8f, .trend = 0.40f, .spread = 0.0f, .period = 0.3f},   // mean
    {.level = 0.1f, .trend = 0.00f, .spread = 0.7f, .period = 0.3f},   // deviation
    {.level = 0.1f, .trend = 0.10f, .spread = 0.2f, .period = 0.2f},   // skew
    {.level = 0.2f, .trend = 0.20f, .spread = 0.3f, .period = 0.5f},   // number of measurements
}};
// The whole stay, its first 10, 25 and 50 percent, its last 50, 25 and 10.
constexpr std::array<float, kPeriods> kPosition = {0, -1, -0.7f, -0.35f, 0.35f, 0.7f, 1};

// How illness shows: the same for every seed, so that what was learned on one cohort holds on
// another.
struct Model {
  struct Channel {
    States level, trend, spread;
  };
  std::array<Channel, kChannels> channels;
  std::array<States, kPhenotypes> liabilities;

  Model() {
    PublicRandom random(0, Stream::model);
    constexpr float kSevere = 0.35f, kOther = 0.5f;
    for (Channel& channel : channels) {
      for (States* states : {&channel.level, &channel.trend, &channel.spread}) {
        // Some readings rise with illness, others fall.
        const float sign = random.below(2) == 0 ? -1.0f : 1.0f;
        *states = direction(random, sign * kSevere, kOther);
      }
    }
    for (std::size_t i = 0; i < kPhenotypes; ++i) {
      const Phenotype& phenotype = kPhenotypeList[i];
      liabilities[i] =
          direction(random, std::sqrt(phenotype.severity), std::sqrt(phenotype.states));
    }
  }
};

// A state of a channel: what of it comes from the person's states, and its own part up to variance
// 1.
float shown(const States& direction, const States& states, PublicRandom& random) {
  return dot(direction, states) + std::sqrt(1 - dot(direction, direction)) * random.normal();
}

void make_person(const Model& model, PublicRandom random, std::span<float> features,
                 std::span<std::uint16_t> labels) {
  States states;
  for (float& state : states) state = random.normal();
  for (std::size_t i = 0; i < kPhenotypes; ++i)
    labels[i] = shown(model.liabilities[i], states, random) > kPhenotypeList[i].threshold ? 1 : 0;
  std::array<float, kStatistics> own;
  for (std::size_t m = 0; m < kStatistics; ++m) own[m] = kStatisticList[m].own();
  float* feature = features.data();
  for (const Model::Channel& channel : model.channels) {
    const float level = shown(channel.level, states, random);
    const float trend = shown(channel.trend, states, random);
    const float spread = shown(channel.spread, states, random);
    for (const float position : kPosition) {
      const float period = random.normal();
      for (std::size_t m = 0; m < kStatistics; ++m) {
        const Statistic& s = kStatisticList[m];
        *feature++ = s.level * level + s.trend * position * trend + s.spread * spread +
                     s.period * period + own[m] * random.rough_normal();
      }
    }
  }
}

People make_people(const Model& model, std::size_t count, std::uint64_t seed, Stream stream) {
  People people{.features = table_of(count, kCohortFeatures, "synthetic cohort"),
                .labels = {.kind = LabelKind::many}};
  for (const Phenotype& phenotype : kPhenotypeList)
    people.labels.names.emplace_back(phenotype.name);
  people.labels.values.resize(count * kPhenotypes);
  in_parallel_by_dozens(count, [&](std::size_t i) {
    make_person(model, PublicRandom(seed, stream, i), people.features.row(i),
                std::span(people.labels.values).subspan(i * kPhenotypes, kPhenotypes));
  });
  return people;
}

}  // namespace

const std::array<Phenotype, kPhenotypes> kPhenotypeList = {{
    {"acute and unspecified renal failure", 0.214, 0.7926f, 0.35f, 0.20f},
    {"acute cerebrovascular disease", 0.075, 1.4395f, 0.09f, 0.30f},
    {"acute myocardial infarction", 0.103, 1.2646f, 0.18f, 0.25f},
    {"cardiac dysrhythmias", 0.321, 0.4649f, 0.22f, 0.15f},
    {"chronic kidney disease", 0.134, 1.1077f, 0.22f, 0.25f},
    {"chronic obstructive pulmonary disease", 0.131, 1.1217f, 0.13f, 0.15f},
    {"complications of surgical procedures", 0.207, 0.8169f, 0.13f, 0.15f},
    {"conduction disorders", 0.072, 1.4611f, 0.09f, 0.15f},
    {"congestive heart failure", 0.268, 0.6189f, 0.26f, 0.20f},
    {"coronary atherosclerosis", 0.322, 0.4621f, 0.09f, 0.25f},
    {"diabetes mellitus with complications", 0.095, 1.3106f, 0.13f, 0.30f},
    {"diabetes mellitus without complication", 0.193, 0.8669f, 0.09f, 0.17f},
    {"disorders of lipid metabolism", 0.291, 0.5505f, 0.09f, 0.17f},
    {"essential hypertension", 0.419, 0.2045f, 0.09f, 0.17f},
    {"fluid and electrolyte disorders", 0.269, 0.6158f, 0.30f, 0.15f},
    {"gastrointestinal haemorrhage", 0.072, 1.4611f, 0.13f, 0.25f},
    {"hypertension with complications", 0.133, 1.1123f, 0.22f, 0.25f},
    {"other liver diseases", 0.089, 1.3469f, 0.18f, 0.25f},
    {"other lower respiratory disease", 0.051, 1.6352f, 0.13f, 0.17f},
    {"other upper respiratory disease", 0.040, 1.7507f, 0.13f, 0.20f},
    {"pleurisy and pneumothorax", 0.087, 1.3595f, 0.22f, 0.15f},
    {"pneumonia", 0.139, 1.0848f, 0.30f, 0.17f},
    {"respiratory failure", 0.181, 0.9116f, 0.40f, 0.17f},
    {"septicaemia", 0.143, 1.0669f, 0.40f, 0.15f},
    {"shock", 0.078, 1.4187f, 0.40f, 0.17f},
}};

Dataset synthetic_cohort(const CohortSize& size, std::uint64_t seed) {
  if (size.train == 0) refuse("people", "0", "at least 1");
  static const Model model;
  return {.train = make_people(model, size.train, seed, Stream::train),
          .test = make_people(model, size.test, seed, Stream::test),
          .description = fmt::format("synthetic clinical cohort, seed {}", seed)};
}

}  // namespace ration
