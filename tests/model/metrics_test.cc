#include "ration/model/metrics.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "tests/model/plain_network.h"

namespace ration {
namespace {

TEST(Auc, IsTheShareOfPairsInOrderWithTiesHalf) {
  EXPECT_TRUE(rc::check("all pairs", [] {
    const auto scores = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-6, 6));
    std::vector<float> values;
    std::vector<std::uint16_t> labels;
    for (const int score : scores) {
      values.push_back(static_cast<float>(score) * 0.5F);
      labels.push_back(*rc::gen::inRange<std::uint16_t>(0, 2));
    }
    double won = 0, pairs = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (labels[i] != 1 || labels[k] != 0) continue;
        pairs += 1;
        won += values[i] > values[k] ? 1 : values[i] == values[k] ? 0.5 : 0;
      }
    }
    const std::optional<double> area = auc(values, labels);
    RC_ASSERT(area.has_value() == (pairs > 0));
    if (area) RC_ASSERT(*area == won / pairs);
  }));
}

TEST(Auc, OrdersZerosInfinitiesAndWhatIsNoNumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto of_two = [](float with, float without) {
    const float scores[] = {with, without};
    const std::uint16_t labels[] = {1, 0};
    return *auc(scores, labels);
  };
  EXPECT_EQ(of_two(0.0F, -0.0F), 0.5);
  EXPECT_EQ(of_two(kInfinity, 3e38F), 1);
  EXPECT_EQ(of_two(-kInfinity, -3e38F), 0);
  EXPECT_EQ(of_two(NAN, -kInfinity), 0);
  EXPECT_EQ(of_two(NAN, -NAN), 0.5);
}

TEST(SortedScores, CountEachPersonAsOftenAsAsked) {
  EXPECT_TRUE(rc::check("a list that holds them so often", [] {
    const auto people = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
        rc::gen::tuple(rc::gen::inRange(-4, 4), rc::gen::inRange(0, 2), rc::gen::inRange(0, 4)));
    std::vector<float> scores, repeated_scores;
    std::vector<std::uint16_t> labels, repeated_labels;
    std::vector<std::uint32_t> times;
    for (const auto& [score, label, count] : people) {
      scores.push_back(static_cast<float>(score));
      labels.push_back(static_cast<std::uint16_t>(label));
      times.push_back(static_cast<std::uint32_t>(count));
      repeated_scores.insert(repeated_scores.end(), times.back(), scores.back());
      repeated_labels.insert(repeated_labels.end(), times.back(), labels.back());
    }
    RC_ASSERT(SortedScores(scores, labels).auc(times) == auc(repeated_scores, repeated_labels));
  }));
}

// Outputs are the features themselves.
const std::vector<float> kIdentity = {1, 0, 0, 1, 0, 0};

TEST(Evaluate, CountsWhoIsRightInEachGroup) {
  const Architecture architecture{.inputs = 2, .outputs = 2};
  People people{.features = {4, 2, {2, 1, 0, 3, 1, 1, 5, 0}},
                .labels = {LabelKind::one, {"a", "b"}, {0, 1, 1, 1}},
                .groups = {{0, 1, 1, 1}, {"x", "y", "nobody"}}};
  const Evaluation e = evaluate(architecture, kIdentity, people);
  const double losses[] = {std::log1p(std::exp(-1)), std::log1p(std::exp(-3)), std::log(2),
                           5 + std::log1p(std::exp(-5))};
  EXPECT_EQ(e.everybody.score, 0.5);  // of equal outputs the first is taken
  EXPECT_NEAR(*e.everybody.loss, (losses[0] + losses[1] + losses[2] + losses[3]) / 4, 1e-6);
  ASSERT_EQ(e.groups.size(), 3U);
  EXPECT_EQ(e.groups[0].score, 1);
  EXPECT_NEAR(*e.groups[0].loss, losses[0], 1e-6);
  EXPECT_NEAR(*e.groups[1].score, 1.0 / 3, 1e-15);
  EXPECT_EQ(e.groups[1].people, 3U);
  EXPECT_EQ(e.groups[2].score, std::nullopt);
  EXPECT_EQ(e.groups[2].loss, std::nullopt);
  // Three of four have the label b.
  EXPECT_EQ(e.everybody.majority, 0.75);
  EXPECT_EQ(e.groups[1].majority, 1);
  EXPECT_EQ(e.groups[2].majority, std::nullopt);
}

TEST(Evaluate, LeavesOutLabelsOfOneKindOnly) {
  const Architecture architecture{.inputs = 2, .outputs = 2, .loss = Loss::binary};
  People people{.features = {3, 2, {2, 1, 0, 3, 1, 1}},
                .labels = {LabelKind::many, {"a", "b"}, {1, 1, 0, 1, 1, 1}},
                .groups = {{0, 1, 0}, {"x", "y"}}};
  const Evaluation e = evaluate(architecture, kIdentity, people);
  EXPECT_EQ(e.everybody.label_auc, (std::vector<std::optional<double>>{1, std::nullopt}));
  EXPECT_EQ(e.everybody.score, 1);
  EXPECT_EQ(e.groups[0].score, std::nullopt);
  EXPECT_TRUE(e.groups[0].loss.has_value());
  EXPECT_EQ(e.everybody.majority, std::nullopt);
}

TEST(Evaluate, IsTheSameOnAnyNumberOfThreads) {
  const Architecture architecture{.inputs = 20, .outputs = 5, .hidden = {8}, .loss = Loss::binary};
  const People people = random_people(architecture, 1000, 1);
  const Network network(architecture, random_floats(architecture.parameters(), 2));
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Quality one = evaluate(network, people).everybody;
  omp_set_num_threads(3);
  const Quality three = evaluate(network, people).everybody;
  omp_set_num_threads(threads);
  EXPECT_EQ(one.loss, three.loss);
  EXPECT_EQ(one.label_auc, three.label_auc);
}

}  // namespace
}  // namespace ration
