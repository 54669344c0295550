#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ration/compose/accountants.h"
#include "ration/individual/epsilons.h"
#include "ration/numeric/directed.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

// Anybody's eps against the accountant of single plans on what they were charged: in random
// regimes, and in those that random people found.

struct Known {
  Accounts accounts;
  std::vector<Plan> plans;  // what was charged, as it was
};

Buckets random_buckets(oracle::Random& random, double least) {
  if (random.coin(0.4)) return Buckets::from(least);
  if (random.coin(0.3)) return Buckets::from(least, static_cast<int>(random.log_uniform(1, 1000)));
  std::vector<Noise> edges = {least};  // from next to each other to far apart
  const double finest = random.coin(0.5) ? 1e-3 : 1e-15;
  while (edges.size() < 200 && edges.back() < 100 * least) {
    const double last = edges.back();
    edges.emplace_back(std::max(next_up(last), last * (1 + random.log_uniform(finest, 1))));
  }
  return Buckets(edges);
}

// A norm anywhere, at the clip bound, or at an edge and near it: they crowd around a typical one,
// or do not.
float random_norm(oracle::Random& random, const Buckets& buckets, double noise, double typical) {
  double norm = random.coin(0.96) ? typical * random.uniform(0.98, 1) : random.log_uniform(0.02, 1);
  if (random.coin(0.03)) norm = 1;
  if (random.coin(0.05)) {
    const double edges = static_cast<double>(buckets.size());
    norm = noise / buckets.edges()[static_cast<std::size_t>(random.uniform(0, edges))];
    if (random.coin(0.5)) norm *= random.uniform(0.999, 1.001);
  }
  return static_cast<float>(std::clamp(norm, 1e-4, 1.0));
}

Known random_people(oracle::Random& random, std::size_t people) {
  const double noise = random.log_uniform(0.4, random.coin(0.7) ? 3 : 30);
  const double many = random.coin(0.5) ? 6 : random.coin(0.5) ? 100 : 1e4;
  Known known = {.accounts = Accounts(people, random_buckets(random, noise)),
                 .plans = std::vector<Plan>(people)};
  for (double rates = random.uniform(1, 3); rates >= 1; --rates) {
    const double rate = random.coin(0.1)   ? 1
                        : random.coin(0.5) ? random.uniform(0.05, 0.99)
                                           : random.log_uniform(1e-4, 0.99);
    const Step step = {.noise = noise * (random.coin(0.6) ? 1 : random.log_uniform(1, 30)),
                       .rate = rate};
    const double most = rate == 1 ? 30 : many;
    for (double different = random.uniform(1, 3); different >= 1; --different) {
      const auto times = static_cast<std::uint32_t>(random.log_uniform(1, most));
      const double typical = random.coin(0.3) ? 1 : random.log_uniform(0.02, 1);
      std::vector<float> norms;
      for (Plan& plan : known.plans) {
        norms.push_back(random_norm(random, known.accounts.buckets(), step.noise, typical));
        plan.push_back(entry({.noise = step.noise / static_cast<double>(norms.back()),
                              .rate = rate,
                              .steps = times}));
      }
      const std::vector<std::uint32_t> each(people, times);
      known.accounts.record_repeatedly(step, norms, times, each, [] {});
    }
  }
  if (random.coin(0.1)) {
    AccountsState state = known.accounts.state();
    state.shares.clear();
    known.accounts = Accounts(state);
  }
  return known;
}

// One-sided, for anybody. Few steps of large loss have found what regular regimes did not.
TEST(Epsilons, EncloseThoseOfRandomPeopleInRandomRegimes) {
  oracle::Random random(56);
  constexpr std::size_t kTogether = 40;
  for (int people = 0; people < oracle::cases() / 10; people += kTogether) {
    const Known known = random_people(random, kTogether);
    const double delta = random.log_uniform(1e-15, 0.1);
    const IndividualPrivacy all = known.accounts.epsilon(delta, {.most_singles = 0});
    for (std::size_t p = 0; p < kTogether; ++p) {
      const Bound truth = contour::at_delta(known.plans[p], delta).epsilon;
      EXPECT_LE(all.epsilon[p].lower, truth.upper) << "person " << people << " + " << p;
      EXPECT_GE(all.epsilon[p].upper, truth.lower) << "person " << people << " + " << p;
    }
  }
}

// Two steps, whose phi turns around 0 on the line: 2 pi in the logarithm of one law would count
// lambda times.
TEST(Epsilons, EncloseThoseOfFewStepsOfLargeLoss) {
  const std::vector<double> norms = {0.9967, 0.9991, 0.9836};
  const Step step = {.noise = 1.11, .rate = 0.1};
  Accounts accounts(norms.size(), Buckets::from(1.0, 200));
  for (int t = 0; t < 2; ++t) accounts.record(step, norms);
  for (const double delta : {1e-14, 1e-8}) {
    const IndividualPrivacy all = accounts.epsilon(delta, {.method = IndividualMethod::pld});
    for (std::size_t p = 0; p < norms.size(); ++p) {
      const Plan plan = {entry({.noise = step.noise / norms[p], .rate = step.rate, .steps = 2})};
      const Bound truth = contour::at_delta(plan, delta).epsilon;
      EXPECT_LE(all.epsilon[p].lower, truth.upper) << delta;
      EXPECT_GE(all.epsilon[p].upper, truth.lower) << delta;
    }
  }
}

// Edges that are far apart beside some that are not: what is extrapolated from these differs so
// much from them that little is known of the line's far end.
TEST(Epsilons, EncloseThoseOfUnequallyWideBuckets) {
  const std::vector<double> noises = {2.2434863, 2.2412292, 2.2709};
  const Step much = {.noise = 2.239, .rate = 0.00996}, little = {.noise = 70, .rate = 0.00996};
  Accounts accounts(noises.size(), Buckets({2.2388, 2.2472, 2.8821, 63.41, 76.86, 77.14}));
  std::vector<double> norms;
  for (const double noise : noises) norms.push_back(much.noise / noise);
  for (int t = 0; t < 3; ++t) accounts.record(much, norms);
  for (int t = 0; t < 5; ++t) accounts.record(little, std::vector<double>(3, 70 / 75.9));
  const IndividualPrivacy all = accounts.epsilon(2.8e-4, {.most_singles = 0});
  for (std::size_t p = 0; p < noises.size(); ++p) {
    const Bound truth =
        contour::at_delta({entry({.noise = much.noise / norms[p], .rate = 0.00996, .steps = 3}),
                           entry({.noise = 75.9, .rate = 0.00996, .steps = 5})},
                          2.8e-4)
            .epsilon;
    EXPECT_LE(all.epsilon[p].lower, truth.upper) << p;
    EXPECT_GE(all.epsilon[p].upper, truth.lower) << p;
  }
}

}  // namespace
}  // namespace ration
