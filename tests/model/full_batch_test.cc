#include "ration/model/full_batch.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "tests/model/plain_network.h"
#include "tests/refusal.h"

namespace ration {
namespace {

TEST(FullBatch, NormsAndTheMeanAreThoseOfEverybody) {
  for (const Architecture& architecture : small_architectures()) {
    constexpr std::size_t kPeople = 300;  // more than two blocks
    const std::vector<float> parameters = random_floats(architecture.parameters(), 5, 0.6F);
    const People people = random_people(architecture, kPeople, 6);
    const PlainNetwork plain(architecture, parameters);
    const LossesAndNorms all = gradient_norms(architecture, parameters, people);
    std::vector<double> mean(parameters.size());
    for (std::size_t i = 0; i < kPeople; ++i) {
      const auto gradient = plain.gradient(people.features.row(i), people.labels.of(i));
      double square = 0;
      for (std::size_t k = 0; k < mean.size(); ++k) {
        square += gradient[k] * gradient[k];
        mean[k] += gradient[k] / kPeople;
      }
      EXPECT_NEAR(all.norms[i], std::sqrt(square), 2e-5 * std::sqrt(square));
    }
    const std::vector<float> computed = mean_gradient(architecture, parameters, people);
    for (std::size_t k = 0; k < mean.size(); ++k) EXPECT_NEAR(computed[k], mean[k], 1e-6);
  }
}

TEST(FullBatch, ResultsAreTheSameOnAnyNumberOfThreads) {
  const Architecture architecture{.inputs = 30, .outputs = 5, .hidden = {20}};
  const People people = random_people(architecture, 2999, 1);
  const Network network(architecture, random_floats(architecture.parameters(), 2));
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const LossesAndNorms one = gradient_norms(network, people);
  const std::vector<float> mean = mean_gradient(network, people);
  for (const int more : {2, 5}) {
    omp_set_num_threads(more);
    const LossesAndNorms same = gradient_norms(network, people);
    EXPECT_EQ(same.losses, one.losses);
    EXPECT_EQ(same.norms, one.norms);
    EXPECT_EQ(mean_gradient(network, people), mean);
  }
  omp_set_num_threads(threads);
}

TEST(FullBatch, NobodyHasAMeanOfZero) {
  const Architecture architecture{.inputs = 3, .outputs = 2};
  const Network network(architecture, std::vector<float>(8, 1));
  const People nobody = random_people(architecture, 0, 1);
  EXPECT_EQ(mean_gradient(network, nobody), std::vector<float>(8));
  EXPECT_TRUE(gradient_norms(network, nobody).norms.empty());
}

TEST(FullBatch, RefusesPeopleWhoDoNotFit) {
  const Architecture architecture{.inputs = 3, .outputs = 2};
  const People fitting = random_people(architecture, 4, 1);
  const auto refused = [&](const Architecture& other, const People& people) {
    return refusal([&] { check(other, people); });
  };
  EXPECT_EQ(refused(architecture, fitting), "accepted");
  EXPECT_EQ(refused({.inputs = 4, .outputs = 2}, fitting),
            "number of features is 3: give as many as the model has inputs: 4");
  EXPECT_EQ(refused({.inputs = 3, .outputs = 5}, fitting),
            "number of labels is 2: give as many as the model has outputs: 5");
  EXPECT_EQ(refused({.inputs = 3, .outputs = 2, .loss = Loss::binary}, fitting),
            "loss is binary: give softmax, since each person has one label");
  People people = fitting;
  people.labels.values.pop_back();
  EXPECT_EQ(refused(architecture, people),
            "number of people with labels is 3: give as many as have features: 4");
  people = fitting;
  people.labels.values[1] = 2;
  EXPECT_EQ(refused(architecture, people), "a label is too large: give numbers below 2");
}

}  // namespace
}  // namespace ration
