#include "ration/individual/buckets.h"
#include "ration/compose/fourier_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "ration/base/error.h"
#include "ration/individual/bucket_rule.h"
#include "ration/numeric/directed.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using oracle::Arb;

// edge_j <= noise clip / min(norm, clip) < edge_{j+1}, in products, which are exact at 256 bits.
bool belongs(double norm, const Step& step, const Buckets& buckets, std::size_t bucket) {
  const Arb scale = Arb(step.noise) * Arb(step.clip), x(std::min<double>(norm, step.clip));
  const auto edge = [&](std::size_t j) { return Arb(buckets.edges()[j]); };
  if (bucket >= buckets.size() || !(scale >= edge(bucket) * x)) return false;
  return bucket + 1 == buckets.size() || scale < edge(bucket + 1) * x;
}

// (w - w_{j+1}) / (w_j - w_{j+1}), with w = (min(norm, clip) / (noise clip))^2 and w_j = 1 /
// edge_j^2; the last bucket goes down to 0.
Arb theta_of(double norm, const Step& step, const Buckets& buckets, std::size_t bucket) {
  const Arb root = Arb(std::min<double>(norm, step.clip)) / (Arb(step.noise) * Arb(step.clip));
  const auto edge = [&](std::size_t j) {
    if (j == buckets.size()) return Arb(0);
    return Arb(1) / (Arb(buckets.edges()[j]) * Arb(buckets.edges()[j]));
  };
  return (root * root - edge(bucket + 1)) / (edge(bucket) - edge(bucket + 1));
}

std::vector<Noise> random_edges(oracle::Random& random) {
  const double least = random.log_uniform(1e-4, 1e4), most = least * random.log_uniform(1.001, 1e4);
  const int count = static_cast<int>(random.log_uniform(2, 3000));
  const fourier::NoiseRange range = {.least = least, .most = most, .count = count};
  if (random.coin(0.4)) return fourier::geometric_noises(range);
  if (random.coin(0.5)) return fourier::linear_noises(range);
  std::vector<Noise> edges = {least};  // some of them next to each other
  for (int j = 1; j < count; ++j) {
    const double last = edges.back();
    const double next = random.coin(0.3) ? next_up(last) : last * random.log_uniform(1.00001, 1.1);
    if (!(next < 1e8)) break;
    edges.emplace_back(next);
  }
  return edges;
}

Step random_step(oracle::Random& random, const Buckets& buckets) {
  const double least = buckets.edges().front();
  const double factor = random.coin(0.3) ? 1 : random.log_uniform(1, 300);
  return {.noise = std::min(1e8, least * factor), .clip = random.log_uniform(1e-30, 1e30)};
}

template <class Real>
void check_bucket(const BucketRule<Real>& rule, Real norm, const Step& step,
                  const Buckets& buckets) {
  if (!(norm > 0) || !std::isfinite(norm)) return;
  const std::size_t found = rule.bucket(norm);
  ASSERT_EQ(rule.search(rule.bits_of(norm)), found);
  ASSERT_TRUE(belongs(norm, step, buckets, found))
      << norm << " in bucket " << found << ", noise " << step.noise << ", clip " << step.clip;
  const std::uint32_t share = rule.share(found, norm);
  const Arb theta = theta_of(norm, step, buckets, found) * Arb(kWholeShare);
  ASSERT_LE(share, kWholeShare);
  ASSERT_TRUE(theta >= Arb(share) - Arb(0.51) && theta <= Arb(share) + Arb(0.51))
      << share << " for " << theta.approximate() << " in bucket " << found << " of "
      << buckets.size();
}

template <class Real>
void check_norms_of(oracle::Random& random, const Step& step, const Buckets& buckets) {
  const BucketRule<Real> rule(step, buckets);
  constexpr Real kMost = std::numeric_limits<Real>::max();
  for (const double share : {0.001, 0.03, 0.3, 0.9, 1.0, 1.2, 1e4}) {
    const double norm = step.clip * share * random.log_uniform(0.5, 2);
    if (norm <= static_cast<double>(kMost))
      check_bucket(rule, static_cast<Real>(norm), step, buckets);
  }
  // Where a norm's ratio is an edge, and its neighbours.
  for (int k = 0; k < 4; ++k) {
    const auto j = static_cast<std::size_t>(random.uniform(0, static_cast<double>(buckets.size())));
    const double at = step.noise * step.clip / buckets.edges()[j];
    if (at > static_cast<double>(kMost)) continue;
    Real norm = static_cast<Real>(at);
    for (int down = 0; down < 3; ++down) norm = std::nextafter(norm, Real{0});
    for (int up = 0; up < 7; ++up, norm = std::nextafter(norm, kMost)) {
      check_bucket(rule, norm, step, buckets);
    }
  }
  for (const Real norm : {std::numeric_limits<Real>::denorm_min(), std::numeric_limits<Real>::min(),
                          static_cast<Real>(1), kMost}) {
    check_bucket(rule, norm, step, buckets);
  }
}

// And its share is within 0.51 units of theta, of the one unit that is promised: in buckets of any
// width, down to edges that are neighbours.
TEST(BucketRule, EveryNormLiesBetweenTheEdgesOfItsBucketAndHasItsShareThere) {
  oracle::Random random(11);
  for (int i = 0; i < oracle::cases() / 10; ++i) {
    const Buckets buckets(random_edges(random));
    const Step step = random_step(random, buckets);
    check_norms_of<float>(random, step, buckets);
    check_norms_of<double>(random, step, buckets);
  }
}

TEST(BucketRule, FloatAndDoubleAgree) {
  oracle::Random random(12);
  for (int i = 0; i < oracle::cases() / 10; ++i) {
    const Buckets buckets(random_edges(random));
    const Step step = random_step(random, buckets);
    const BucketRule<float> in_float(step, buckets);
    const BucketRule<double> in_double(step, buckets);
    for (int k = 0; k < 20; ++k) {
      const auto j =
          static_cast<std::size_t>(random.uniform(0, static_cast<double>(buckets.size())));
      const auto norm = static_cast<float>(step.noise * step.clip / buckets.edges()[j] *
                                           (k < 10 ? 1 : random.log_uniform(0.5, 2)));
      if (norm > 0 && std::isfinite(norm)) {
        const std::size_t bucket = in_float.bucket(norm);
        ASSERT_EQ(bucket, in_double.bucket(static_cast<double>(norm)));
        ASSERT_EQ(in_float.share(bucket, norm), in_double.share(bucket, static_cast<double>(norm)));
      }
    }
  }
}

// The default buckets and the paper's grid take one look-up.
TEST(BucketRule, TheUsualBucketsTakeOneLookUp) {
  const Buckets geometric = Buckets::from(2);
  const Buckets linear(fourier::linear_noises({.least = 2, .most = 30, .count = 100}));
  EXPECT_TRUE(BucketRule<float>({.noise = 2}, geometric).fast());
  EXPECT_TRUE(BucketRule<double>({.noise = 2.7, .clip = 0.1}, geometric).fast());
  EXPECT_TRUE(BucketRule<float>({.noise = 2, .clip = 3}, linear).fast());
}

TEST(BucketRule, WithEqualEdgeAndNoiseTheClipBoundIsInBucketZero) {
  oracle::Random random(13);
  for (int i = 0; i < 1000; ++i) {
    const double noise = random.log_uniform(1e-4, 1e5), clip = random.log_uniform(1e-3, 1e3);
    const BucketRule<double> rule({.noise = noise, .clip = clip}, Buckets::from(noise));
    EXPECT_EQ(rule.bucket(clip), 0u);
    EXPECT_EQ(rule.bucket(1e300), 0u);
    EXPECT_EQ(rule.share(0, clip), kWholeShare);
    EXPECT_EQ(rule.share(0, 1e300), kWholeShare);
    EXPECT_EQ(rule.bucket(5e-324), 255u);
    EXPECT_EQ(rule.share(255, 5e-324), 0u);
  }
}

TEST(BucketRule, RefusesLessNoiseThanTheFirstEdge) {
  try {
    const BucketRule<float> rule({.noise = 1.5}, Buckets::from(2));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("noise is 1.5, less than the least noise of the"),
              std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(BucketRule<float>({.noise = 2}, Buckets::from(2)));
}

TEST(Buckets, RefuseEdgesThatDoNotIncreaseAndTooFewOrTooMany) {
  EXPECT_THROW(Buckets({}), Error);
  EXPECT_THROW(Buckets({2, 2}), Error);
  EXPECT_THROW(Buckets({2, 3, 2.5}), Error);
  EXPECT_NO_THROW(Buckets({2}));
  const fourier::NoiseRange most = {.least = 1, .most = 1e4, .count = 65535};
  const fourier::NoiseRange more = {.least = 1, .most = 1e4, .count = 65536};
  EXPECT_NO_THROW(Buckets(fourier::geometric_noises(most)));
  EXPECT_THROW(Buckets(fourier::geometric_noises(more)), Error);
}

TEST(Buckets, ByDefaultAre256UpTo128TimesTheLeastNoise) {
  const Buckets buckets = Buckets::from(2);
  EXPECT_EQ(buckets.size(), 256u);
  EXPECT_EQ(buckets.edges().front(), 2);
  EXPECT_NEAR(buckets.edges().back(), 256, 1e-9);
  for (const double least : {1e-4, 1e6, 4e7, 6e7, 1e8}) {
    EXPECT_EQ(Buckets::from(least).edges().front(), least);
  }
}

TEST(Buckets, NothingBoundsTheNoiseOfTheLastOne) {
  const Buckets buckets({1e-4, 3, 1e8});
  EXPECT_EQ(buckets.least_noise(1), 3);
  EXPECT_EQ(buckets.most_noise(0), Noise(3));
  EXPECT_FALSE(buckets.most_noise(2));
}

}  // namespace
}  // namespace ration
