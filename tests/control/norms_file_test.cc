// Accounts from a file of norms: who was admitted at each step, and people who are followed.

#include "ration/control/norms_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ration/individual/accounts.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

constexpr std::size_t kSteps = 60, kPeople = 9;

template <class Real>
NormMatrix some_norms(const Scratch& scratch) {
  std::mt19937 random(1);
  std::uniform_real_distribution<Real> uniform(0, 2);
  std::vector<Real> norms(kSteps * kPeople);
  for (Real& norm : norms) norm = uniform(random);
  write_npy<Real>(scratch.file("n.npy"), {kSteps, kPeople}, norms);
  return NormMatrix(scratch.file("n.npy"));
}

std::vector<RepeatedStep> some_steps(bool sampled) {
  return {{.step = {.noise = 3, .rate = sampled ? 0.1 : 1.0}, .times = 25},
          {.step = {.noise = 4, .rate = sampled ? 0.2 : 1.0}, .times = 35}};
}

template <class Real>
void expect_followed_as_everybody(bool sampled, bool filtered) {
  const Scratch scratch;
  NormMatrix norms = some_norms<Real>(scratch);
  const auto steps = some_steps(sampled);
  const Buckets buckets = Buckets::from(3, 16);
  const auto filter = [&](std::size_t people) -> std::optional<Filter> {
    if (!filtered) return std::nullopt;
    return Filter(people, currency_named(sampled ? "rdp" : "gdp"),
                  StepsBudget{.step = steps[0].step, .steps = 10});
  };
  Books books(kPeople, buckets, filter(kPeople));
  std::vector<std::uint64_t> admitted(kPeople);
  std::uint64_t last = 0;
  charge_file(norms, steps, books, {}, [&](std::uint64_t step, std::span<const std::uint8_t> mask) {
    EXPECT_EQ(step, ++last);
    for (std::size_t i = 0; i < kPeople; ++i) admitted[i] += mask[i];
  });
  const Books::Settled& everybody = books.settle();
  EXPECT_EQ(last, filtered ? kSteps : 0);
  if (filtered) {
    for (std::size_t i = 0; i < kPeople; ++i) {
      EXPECT_EQ(admitted[i], everybody.attendance.people[i].admitted);
    }
    EXPECT_LT(*std::min_element(admitted.begin(), admitted.end()), kSteps);
  }
  const std::vector<std::size_t> who = {7, 0, 4};
  const auto moments = spaced_steps(kSteps, 7);
  std::size_t told = 0;
  follow_file(norms, steps, {.who = who, .moments = moments}, Books(3, buckets, filter(3)),
              [&](std::uint64_t done, const Books::Settled& own) {
                EXPECT_EQ(done, moments[told++]);
                EXPECT_EQ(own.accounts.steps(), done);
                if (done < kSteps) return;
                EXPECT_EQ(own.accounts.state(), everybody.accounts.of(who).state());
                for (std::size_t i = 0; i < 3; ++i) {
                  EXPECT_EQ(own.attendance.people[i], everybody.attendance.people[who[i]]);
                }
              });
  EXPECT_EQ(told, moments.size());
}

TEST(FollowFile, EndsWithTheAccountsThatEverybodyHas) {
  for (const bool sampled : {false, true}) {
    for (const bool filtered : {false, true}) {
      expect_followed_as_everybody<float>(sampled, filtered);
      expect_followed_as_everybody<double>(sampled, filtered);
    }
  }
}

TEST(SpacedSteps, AreEvenlySpacedUpToTheLast) {
  EXPECT_EQ(spaced_steps(3, 5), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(spaced_steps(10, 4), (std::vector<std::uint64_t>{3, 5, 8, 10}));
  for (const std::uint64_t steps : {1ULL, 199ULL, 200ULL, 201ULL, 12345ULL, 0xffffffffULL}) {
    const auto spaced = spaced_steps(steps, 200);
    EXPECT_EQ(spaced.size(), std::min<std::uint64_t>(steps, 200));
    EXPECT_EQ(spaced.back(), steps);
    std::uint64_t before = 0;
    for (const std::uint64_t step : spaced) {
      EXPECT_GE(step - before, steps / 200);
      EXPECT_LE(step - before, steps / 200 + 1);
      before = step;
    }
  }
}

}  // namespace
}  // namespace ration
