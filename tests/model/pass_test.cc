#include "ration/model/pass.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ration/model/blocks.h"
#include "tests/model/plain_network.h"
#include "tests/refusal.h"

namespace ration {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class Numbers>
long double norm_of(const Numbers& values) {
  long double sum = 0;
  for (const auto x : values) sum += static_cast<long double>(x) * static_cast<long double>(x);
  return std::sqrt(sum);
}

struct Results {
  std::vector<float> losses, norms;
};
Results results(Pass& pass, const Network& network, const Pass::Block& block) {
  Results r{std::vector<float>(block.people), std::vector<float>(block.people)};
  pass.gradients(network, block, r.losses);
  pass.norms(r.norms);
  return r;
}

// One person's gradient, by a weight of 1 for them alone.
std::vector<float> gradient_of(Pass& pass, const Architecture& architecture, std::size_t people,
                               std::size_t person) {
  std::vector<float> weights(people), gradient(architecture.parameters());
  weights[person] = 1;
  pass.weighted_sum(weights, gradient);
  return gradient;
}

std::vector<float> random_parameters(const Architecture& architecture, unsigned seed) {
  return random_floats(architecture.parameters(), seed, 0.6F);
}

TEST(Pass, LossesAndNormsAreThoseOfFiniteDifferencesAndOfTheChainRule) {
  constexpr std::size_t kPeople = 9;
  unsigned seed = 1;
  for (const Architecture& architecture : small_architectures()) {
    const std::vector<float> parameters = random_parameters(architecture, seed);
    const People people = random_people(architecture, kPeople, ++seed);
    const PlainNetwork plain(architecture, parameters);
    Pass pass(architecture, kPeople);
    const Results r = results(pass, {architecture, parameters}, block_of(people, 0, kPeople));
    for (std::size_t i = 0; i < kPeople; ++i) {
      const auto features = people.features.row(i);
      const auto labels = people.labels.of(i);
      const double loss = plain.loss(features, labels);
      EXPECT_NEAR(r.losses[i], loss, 1e-5 * loss);
      const auto by_differences = static_cast<double>(norm_of(plain.differences(features, labels)));
      const auto by_rule = static_cast<double>(norm_of(plain.gradient(features, labels)));
      EXPECT_NEAR(r.norms[i], by_differences, 1e-5 * by_differences);
      EXPECT_NEAR(r.norms[i], by_rule, 1e-5 * by_rule);
    }
  }
}

TEST(Pass, WeightedSumsAreThoseOfSinglePeoplesGradients) {
  constexpr std::size_t kPeople = 20;
  unsigned seed = 100;
  for (const Architecture& architecture : small_architectures()) {
    const std::vector<float> parameters = random_parameters(architecture, seed);
    const People people = random_people(architecture, kPeople, ++seed);
    const PlainNetwork plain(architecture, parameters);
    Pass pass(architecture, kPeople);
    results(pass, {architecture, parameters}, block_of(people, 0, kPeople));
    const std::vector<float> weights = random_floats(kPeople, seed);
    std::vector<float> sum(architecture.parameters()), twice = sum;
    std::vector<double> expected(sum.size()), sizes(sum.size()), alone(sum.size());
    for (std::size_t i = 0; i < kPeople; ++i) {
      const auto chain = plain.gradient(people.features.row(i), people.labels.of(i));
      const auto gradient = gradient_of(pass, architecture, kPeople, i);
      for (std::size_t k = 0; k < sum.size(); ++k) {
        expected[k] += static_cast<double>(weights[i]) * static_cast<double>(gradient[k]);
        alone[k] += static_cast<double>(weights[i]) * chain[k];
        sizes[k] += std::abs(static_cast<double>(weights[i]) * static_cast<double>(gradient[k]));
      }
    }
    pass.weighted_sum(weights, sum);
    twice = sum;
    pass.weighted_sum(weights, twice, Pass::Onto::sum);
    for (std::size_t k = 0; k < sum.size(); ++k) {
      // The sum's own bound, and one rounding more in each single gradient.
      EXPECT_LE(std::abs(sum[k] - expected[k]), (kPeople + 3) * 0x1p-24 * 1.001 * sizes[k]);
      EXPECT_NEAR(sum[k], alone[k], 1e-5 * sizes[k] + 1e-6);
      EXPECT_NEAR(twice[k], 2 * expected[k], (2 * kPeople + 3) * 0x1p-23 * sizes[k]);
    }
  }
}

// The activations that enter a layer, to the last bit: outputs of the network cut off before it.
std::vector<float> entering(const Architecture& architecture, std::span<const float> parameters,
                            const People& people, std::size_t person, std::size_t layer) {
  if (layer == 0) {
    const auto features = people.features.row(person);
    return {features.begin(), features.end()};
  }
  Architecture cut = architecture;
  cut.outputs = architecture.hidden[layer - 1];
  cut.hidden.resize(layer - 1);
  Pass pass(cut, 1);
  const auto out =
      pass.outputs({cut, parameters.first(cut.parameters())}, block_of(people, person, 1));
  std::vector<float> values(out.begin(), out.end());
  for (float& x : values) x = cut.activation == Activation::relu ? std::fmax(x, 0.F) : std::tanh(x);
  return values;
}

TEST(Pass, NormsAreNeverBelowTheGradientThatIsSummedAndAtMostOneFloatAbove) {
  constexpr std::size_t kPeople = 30;
  unsigned seed = 200;
  std::vector<Architecture> architectures = small_architectures();
  architectures.push_back({.inputs = 101, .outputs = 17, .hidden = {67, 41}, .loss = Loss::binary});
  for (const Architecture& architecture : architectures) {
    const std::vector<float> parameters = random_parameters(architecture, seed);
    const People people = random_people(architecture, kPeople, ++seed);
    Pass pass(architecture, kPeople);
    const Results r = results(pass, {architecture, parameters}, block_of(people, 0, kPeople));
    for (std::size_t i = 0; i < kPeople; ++i) {
      const std::vector<float> gradient = gradient_of(pass, architecture, kPeople, i);
      // Each of its entries is rounded once.
      EXPECT_GE(r.norms[i] * (1 + 0x1p-24L), norm_of(gradient));
      long double square = 0;  // of e (a, 1)^T; the entries of biases are e itself
      for (std::size_t l = 0; l < architecture.layers(); ++l) {
        const long double a = norm_of(entering(architecture, parameters, people, i, l));
        const std::size_t end = architecture.offset(l + 1);
        const std::span<const float> errors(gradient.data() + end - architecture.width_out(l),
                                            architecture.width_out(l));
        const long double e = norm_of(errors);
        square += e * e * (a * a + 1);
      }
      EXPECT_GE(r.norms[i], std::sqrt(square) * (1 - 0x1p-60L));  // this check's own rounding
      EXPECT_LE(r.norms[i], std::sqrt(square) * (1 + 0x1p-22L));
    }
  }
}

TEST(Pass, APersonIsTheSameToTheLastBitAtAnyPlaceOfAnyBlock) {
  const Architecture architecture{
      .inputs = 301, .outputs = 25, .hidden = {70, 33}, .loss = Loss::binary};
  constexpr std::size_t kPeople = 67;
  const Network network(architecture, random_parameters(architecture, 3));
  const People people = random_people(architecture, kPeople, 4);
  Pass pass(architecture, kPeople);
  const Results all = results(pass, network, block_of(people, 0, kPeople));
  for (const std::size_t size : {1U, 2U, 5U, 6U, 7U, 16U, 33U}) {
    Pass other(architecture, size);
    for (std::size_t begin = 0; begin + size <= kPeople; begin += 5) {
      const Results some = results(other, network, block_of(people, begin, size));
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(some.losses[i], all.losses[begin + i]) << size;
        ASSERT_EQ(some.norms[i], all.norms[begin + i]) << size;
      }
    }
  }
}

TEST(Pass, ALabelThatIsCertainHasAnExactSmallGradient) {
  const Architecture softmax{.inputs = 1, .outputs = 2};
  const std::vector<float> parameters = {20, -20, 0, 0};  // outputs 20 and -20
  const float feature = 1;
  const std::uint16_t label = 0, labels[] = {1, 0};
  Pass pass(softmax, 1);
  Results r = results(pass, {softmax, parameters}, {1, &feature, &label});
  const double p = std::exp(-40.0) / (1 + std::exp(-40.0));
  EXPECT_NEAR(r.norms[0], 2 * p, 2e-6 * p);
  EXPECT_NEAR(r.losses[0], p, 1e-6 * p);
  const Architecture binary{.inputs = 1, .outputs = 2, .loss = Loss::binary};
  Pass other(binary, 1);
  const double q = std::exp(-20.0) / (1 + std::exp(-20.0));
  r = results(other, {binary, parameters}, {1, &feature, labels});
  EXPECT_NEAR(r.norms[0], q, 2e-6 * q);  // sqrt(2 labels x 2 entries x (q/2)^2)
  EXPECT_NEAR(r.losses[0], q, 1e-6 * q);
}

TEST(Pass, HugeOutputsHaveFiniteLossesAndGradients) {
  for (const Loss loss : {Loss::softmax, Loss::binary}) {
    const Architecture architecture{.inputs = 1, .outputs = 2, .loss = loss};
    const std::vector<float> parameters = {1e30F, -1e30F, 0, 0};
    const float feature = 1;
    const std::uint16_t wrong[] = {loss == Loss::softmax ? std::uint16_t{1} : std::uint16_t{0}, 1};
    Pass pass(architecture, 1);
    const Results r = results(pass, {architecture, parameters}, {1, &feature, wrong});
    EXPECT_NEAR(r.losses[0], loss == Loss::softmax ? 2e30F : 1e30F, 1e24F);
    EXPECT_NEAR(r.norms[0], loss == Loss::softmax ? 2 : 1, 1e-6);
  }
}

TEST(Pass, WhoseGradientIsNotFiniteHasNormInfinityAndAddsNothing) {
  constexpr std::size_t kPeople = 9, kOverflowed = 4;
  unsigned seed = 300;
  for (const Architecture& architecture : small_architectures()) {
    // Behind tanh even an overflow is 1.
    if (architecture.hidden.empty() || architecture.activation == Activation::tanh) continue;
    const std::vector<float> parameters = random_floats(architecture.parameters(), ++seed, 3);
    People people = random_people(architecture, kPeople, seed);
    std::vector<float> weights(kPeople, 0.5F), without(architecture.parameters()), with = without;
    Pass pass(architecture, kPeople);
    const Network network(architecture, parameters);
    weights[kOverflowed] = 0;
    results(pass, network, block_of(people, 0, kPeople));
    pass.weighted_sum(weights, without);
    for (float& x : people.features.row(kOverflowed)) x = std::copysign(3e38F, x);
    const Results r = results(pass, network, block_of(people, 0, kPeople));
    EXPECT_EQ(r.norms[kOverflowed], kInfinity);
    EXPECT_FALSE(std::isnan(r.losses[kOverflowed]));
    for (const float weight : {0.0F, 0.5F}) {
      weights[kOverflowed] = weight;
      pass.weighted_sum(weights, with);
      EXPECT_EQ(with, without);
    }
    for (std::size_t i = 0; i < kPeople; ++i) {
      if (i != kOverflowed) {
        EXPECT_TRUE(std::isfinite(r.norms[i]));
      }
    }
  }
}

TEST(Pass, AnEmptyBlockSumsToZero) {
  const Architecture architecture{.inputs = 2, .outputs = 2, .hidden = {3}};
  const Network network(architecture, random_parameters(architecture, 1));
  Pass pass(architecture, 4);
  pass.gradients(network, {0, nullptr, nullptr}, {});
  std::vector<float> sum(architecture.parameters(), 7);
  pass.weighted_sum({}, sum);
  EXPECT_EQ(sum, std::vector<float>(sum.size()));
}

TEST(Pass, RefusesWhatDoesNotFit) {
  const Architecture architecture{.inputs = 2, .outputs = 2};
  const std::vector<float> parameters(6);
  const Network network(architecture, parameters);
  Pass pass(architecture, 4);
  std::vector<float> losses(5);
  EXPECT_EQ(refusal([&] {
              pass.losses(network, {5, nullptr, nullptr}, losses);
            }),
            "people of a block is 5: give at most 4");
  EXPECT_EQ(refusal([&] { Network(architecture, std::span(parameters).first(5)); }),
            "number of parameters is 5: give as many as the architecture has: 6");
}

}  // namespace
}  // namespace ration
