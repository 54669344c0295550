#include "ration/dataset/cohort.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ration/base/error.h"

namespace ration {
namespace {

constexpr std::size_t kPeople = 20'000;
const Dataset& cohort() {
  static const Dataset data = synthetic_cohort({.train = kPeople, .test = 2'000}, 1);
  return data;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sa += a[i], sb += b[i];
    aa += a[i] * a[i], bb += b[i] * b[i], ab += a[i] * b[i];
  }
  return (ab - sa * sb / n) / std::sqrt((aa - sa * sa / n) * (bb - sb * sb / n));
}
std::vector<double> feature(std::size_t channel, std::size_t period, std::size_t statistic) {
  std::vector<double> values;
  for (std::size_t i = 0; i < kPeople; ++i)
    values.push_back(cohort().train.features.row(i)[(channel * 7 + period) * 6 + statistic]);
  return values;
}
std::vector<double> label(std::size_t index) {
  std::vector<double> values;
  for (std::size_t i = 0; i < kPeople; ++i) values.push_back(cohort().train.labels.of(i)[index]);
  return values;
}

TEST(Cohort, HasTheBenchmarksShapeAndOrderOfLabels) {
  const People& people = cohort().train;
  EXPECT_EQ(people.features.columns, 714u);
  EXPECT_EQ(people.labels.kind, LabelKind::many);
  ASSERT_EQ(people.labels.count(), 25u);
  EXPECT_EQ(people.labels.records(), kPeople);
  EXPECT_EQ(people.labels.names[2], "acute myocardial infarction");
  EXPECT_EQ(people.labels.names[3], "cardiac dysrhythmias");
  EXPECT_EQ(people.labels.names[21], "pneumonia");
  EXPECT_TRUE(std::is_sorted(people.labels.names.begin(), people.labels.names.end()));
  EXPECT_EQ(cohort().test.labels.names, people.labels.names);
  EXPECT_EQ(cohort().description, "synthetic clinical cohort, seed 1");
}

TEST(Cohort, PrevalencesAreTheBenchmarksWithinOnePercentagePoint) {
  for (std::size_t i = 0; i < kPhenotypes; ++i) {
    const auto held = label(i);
    EXPECT_NEAR(std::accumulate(held.begin(), held.end(), 0.0) / kPeople,
                kPhenotypeList[i].prevalence, 0.01)
        << kPhenotypeList[i].name;
  }
}

TEST(Cohort, SixToEightPercentHaveNoLabel) {
  for (const People* people : {&cohort().train, &cohort().test}) {
    std::size_t none = 0;
    for (std::size_t i = 0; i < people->count(); ++i) {
      const auto labels = people->labels.of(i);
      none += std::count(labels.begin(), labels.end(), 0) == 25 ? 1 : 0;
    }
    const double share = static_cast<double>(none) / static_cast<double>(people->count());
    EXPECT_GT(share, 0.06);
    EXPECT_LT(share, 0.08);
  }
}

TEST(Cohort, FeaturesAreRoughlyStandardised) {
  for (std::size_t column = 0; column < 714; column += 7) {
    double sum = 0, square = 0;
    for (std::size_t i = 0; i < kPeople; ++i) {
      const double x = cohort().train.features.row(i)[column];
      sum += x, square += x * x;
    }
    EXPECT_NEAR(sum / kPeople, 0, 0.05);
    EXPECT_NEAR(std::sqrt(square / kPeople), 1, 0.2);
  }
}

TEST(Cohort, FeaturesAreCorrelatedWithinAChannelAndLabelsAmongThemselves) {
  EXPECT_GT(correlation(feature(0, 0, 2), feature(0, 3, 2)), 0.4);
  EXPECT_GT(correlation(feature(5, 1, 0), feature(5, 1, 1)), 0.2);
  EXPECT_LT(std::abs(correlation(feature(0, 0, 4), feature(9, 0, 4))), 0.1);
  EXPECT_GT(correlation(label(22), label(24)), 0.1);  // respiratory failure and shock
  EXPECT_GT(correlation(label(0), label(23)), 0.1);   // renal failure and septicaemia
}

// The area under the curve: how often somebody with the label scores above somebody without.
double area(const std::vector<std::pair<double, bool>>& scored) {
  std::vector<std::pair<double, bool>> sorted = scored;
  std::sort(sorted.begin(), sorted.end());
  double below = 0, with = 0, pairs = 0;
  for (const auto& [score, has] : sorted) {
    if (has) {
      with += 1;
      pairs += below;
    } else {
      below += 1;
    }
  }
  return pairs / (with * below);
}

// What a label's people have more of in each feature, as a linear score on people who were not
// looked at: the simplest thing that learns.
TEST(Cohort, ADifferenceOfMeansSeparatesFreshPeopleButNotPerfectly) {
  const People &train = cohort().train, &test = cohort().test;
  double sum = 0;
  for (std::size_t k = 0; k < kPhenotypes; ++k) {
    std::vector<double> direction(714);
    const auto prevalence = kPhenotypeList[k].prevalence;
    for (std::size_t i = 0; i < kPeople; i += 4) {
      const double weight = train.labels.of(i)[k] - prevalence;
      const auto row = train.features.row(i);
      for (std::size_t j = 0; j < 714; ++j) direction[j] += weight * row[j];
    }
    std::vector<std::pair<double, bool>> scored;
    for (std::size_t i = 0; i < test.count(); ++i) {
      const auto row = test.features.row(i);
      scored.emplace_back(std::inner_product(row.begin(), row.end(), direction.begin(), 0.0),
                          test.labels.of(i)[k] != 0);
    }
    sum += area(scored);
  }
  EXPECT_GT(sum / kPhenotypes, 0.65);
  EXPECT_LT(sum / kPhenotypes, 0.85);
}

TEST(Cohort, APersonDependsOnTheSeedAndTheirNumberAlone) {
  const Dataset small = synthetic_cohort({.train = 100, .test = 10}, 1);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_TRUE(std::ranges::equal(small.train.features.row(i), cohort().train.features.row(i)));
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_TRUE(std::ranges::equal(small.test.features.row(i), cohort().test.features.row(i)));
    EXPECT_FALSE(std::ranges::equal(small.test.features.row(i), small.train.features.row(i)));
  }
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Dataset alone = synthetic_cohort({.train = 100, .test = 10}, 1);
  omp_set_num_threads(threads);
  EXPECT_EQ(alone.train.features, small.train.features);
  EXPECT_EQ(alone.train.labels, small.train.labels);
  EXPECT_NE(synthetic_cohort({.train = 100, .test = 10}, 2).train.features, small.train.features);
}

// Written down when the model was: a cohort that changes makes every figure made of it another.
TEST(Cohort, IsTheSameOnEveryMachine) {
  const Dataset data = synthetic_cohort({.train = 3, .test = 1}, 42);
  EXPECT_EQ(data.train.features.row(0)[0], 0x1.325b2ep-1f);
  EXPECT_EQ(data.train.features.row(2)[713], 0x1.8b529p-3f);
  EXPECT_EQ(data.test.features.row(0)[100], 0x1.5c1f0cp+0f);
}

TEST(Cohort, RefusesNobody) { EXPECT_THROW(synthetic_cohort({.train = 0}, 1), Error); }

}  // namespace
}  // namespace ration
