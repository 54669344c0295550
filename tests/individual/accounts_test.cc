#include "ration/individual/accounts.h"
#include "ration/compose/fourier_table.h"
#include "ration/individual/spend.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "ration/base/error.h"
#include "ration/individual/bucket_rule.h"
#include "ration/numeric/directed.h"
#include "tests/oracle/arb.h"
#include "tests/oracle/random.h"
#include "tests/refusal.h"

namespace ration {

static bool operator==(const BucketUse& a, const BucketUse& b) {
  return a.bucket == b.bucket && a.count == b.count && a.shares == b.shares;
}

namespace {

using oracle::Arb;

// From the whole range in every case, not from its beginning in the first ones.
template <class T>
rc::Gen<T> anywhere(T from, T to) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(from, to));
}

// Norms around a clip bound of 1, among them none at all, tiny, huge and exactly 1.
template <class Real>
std::vector<Real> random_norms(std::size_t count) {
  return *rc::gen::container<std::vector<Real>>(
      count, rc::gen::map(anywhere(0, 1 << 20), [](int x) {
        if (x % 50 == 0) return Real{0};
        if (x % 50 == 1) return std::numeric_limits<Real>::denorm_min();
        if (x % 50 == 2) return std::numeric_limits<Real>::max();
        if (x % 50 == 3) return Real{1};
        return static_cast<Real>(std::exp(-8.0 + 10.0 * x / (1 << 20)));
      }));
}

Step random_step() {
  const double rates[] = {1, 0.01, 0.25};
  return {.noise = *rc::gen::element(2.0, 2.5, 40.0),
          .clip = *rc::gen::element(1.0, 0.1, 7.0),
          .rate = rates[*anywhere(0, 3)]};
}

Buckets random_buckets() {
  if (*rc::gen::arbitrary<bool>()) return Buckets::from(2);
  return Buckets(fourier::linear_noises({.least = 1.5, .most = 30, .count = 17}));
}

// The definition, one person and one step at a time.
AccountsState by_definition(const std::vector<Step>& steps, const std::vector<float>& norms,
                            std::size_t people, const Buckets& buckets) {
  AccountsState state = {.buckets = buckets,
                         .people = people,
                         .rates = {},
                         .counts = {},
                         .shares = {},
                         .unsampled = std::vector<AccountsState::Unsampled>(people)};
  for (std::size_t s = 0; s < steps.size(); ++s, ++state.steps) {
    const Step& step = steps[s];
    auto found = std::find(state.rates.begin(), state.rates.end(), step.rate);
    if (step.rate < 1.0 && found == state.rates.end()) {
      state.rates.push_back(step.rate);
      state.counts.emplace_back(people * buckets.size());
      state.shares.emplace_back(people * buckets.size());
      found = state.rates.end() - 1;
    }
    for (std::size_t p = 0; p < people; ++p) {
      const double norm = norms[s * people + p];
      if (norm == 0) continue;
      if (step.rate == 1.0) {
        state.unsampled[p].total += SpendRule(step).charge(norm);
        ++state.unsampled[p].charges;
        continue;
      }
      const BucketRule<double> rule(step, buckets);
      const auto rate = static_cast<std::size_t>(found - state.rates.begin());
      const std::size_t bucket = rule.search(rule.bits_of(norm));
      ++state.counts[rate][p * buckets.size() + bucket];
      state.shares[rate][p * buckets.size() + bucket] += rule.share(bucket, norm);
    }
  }
  return state;
}

std::vector<BucketUse> uses_of(const Accounts& accounts, std::size_t rate, std::size_t person) {
  std::vector<BucketUse> uses(3);  // what was there is gone
  accounts.uses(rate, person, uses);
  return uses;
}

RC_GTEST_PROP(Accounts, AreWhatTheDefinitionSaysWithChangingRatesAndNoise, ()) {
  const auto people = *anywhere<std::size_t>(1, 100);
  const auto steps = *anywhere<std::size_t>(1, 8);
  std::vector<Step> plan;
  for (std::size_t s = 0; s < steps; ++s) plan.push_back(random_step());
  const auto norms = random_norms<float>(people * plan.size());
  const Buckets buckets = random_buckets();
  Accounts accounts(people, buckets), in_double(people, buckets);
  for (std::size_t s = 0; s < plan.size(); ++s) {
    const auto row = std::span(norms).subspan(s * people, people);
    accounts.record(plan[s], row);
    // A float is a double: the same accounts.
    const std::vector<double> copy(row.begin(), row.end());
    in_double.record(plan[s], copy);
  }
  RC_ASSERT(accounts.state() == by_definition(plan, norms, people, buckets));
  RC_ASSERT(in_double.state() == accounts.state());
}

template <class Real>
void many_steps_are_one_after_the_other() {
  const auto people = *anywhere<std::size_t>(1, 400);
  const auto steps = *anywhere<std::size_t>(1, 12);
  const Step step = random_step();
  const auto norms = random_norms<Real>(people * steps);
  const Buckets buckets = random_buckets();
  Accounts at_once(people, buckets), in_turn(people, buckets);
  at_once.record(step, norm_table(norms, people));
  for (std::size_t s = 0; s < steps; ++s) {
    in_turn.record(step, std::span<const Real>(norms).subspan(s * people, people));
  }
  RC_ASSERT(at_once.state() == in_turn.state());
}
RC_GTEST_PROP(Accounts, ManyStepsAtOnceAreTheSameStepsOneByOne, ()) {
  many_steps_are_one_after_the_other<float>();
  many_steps_are_one_after_the_other<double>();
}

RC_GTEST_PROP(Accounts, TheOrderOfPeopleChangesNothing, ()) {
  const auto people = *anywhere<std::size_t>(1, 200);
  const Step step = random_step();
  const auto norms = random_norms<float>(people);
  std::vector<std::size_t> order(people);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = people; i > 1; --i) {
    std::swap(order[i - 1], order[*anywhere<std::size_t>(0, i)]);
  }
  std::vector<float> shuffled(people);
  for (std::size_t p = 0; p < people; ++p) shuffled[p] = norms[order[p]];
  Accounts one(people, Buckets::from(2)), other(people, Buckets::from(2));
  one.record(step, norms);
  other.record(step, shuffled);
  for (std::size_t p = 0; p < people; ++p) {
    RC_ASSERT(other.unsampled(p) == one.unsampled(order[p]));
    if (one.rates().empty()) continue;
    RC_ASSERT(uses_of(other, 0, p) == uses_of(one, 0, order[p]));
  }
}

RC_GTEST_PROP(Accounts, ASubsetIsEverybodyWithZeroForTheOthers, ()) {
  const auto people = *anywhere<std::size_t>(1, 100);
  const Step step = random_step();
  auto norms = random_norms<double>(people);
  std::vector<std::size_t> who;
  std::vector<double> theirs;
  const bool backward = *rc::gen::arbitrary<bool>();
  for (std::size_t i = 0; i < people; ++i) {
    const std::size_t p = backward ? people - 1 - i : i;
    if (*rc::gen::arbitrary<bool>()) {
      who.push_back(p);
      theirs.push_back(norms[p]);
    } else {
      norms[p] = 0;
    }
  }
  Accounts all(people, Buckets::from(2)), some(people, Buckets::from(2));
  all.record(step, norms);
  some.record(step, who, theirs);
  RC_ASSERT(all.state() == some.state());
}

RC_GTEST_PROP(Accounts, LikeStepsAreAsManySingleOnes, ()) {
  const auto people = *anywhere<std::size_t>(1, 50);
  const Step step = random_step();
  const auto norms = random_norms<float>(people);
  const auto times =
      *rc::gen::container<std::vector<std::uint32_t>>(people, anywhere<std::uint32_t>(0, 5));
  const Buckets buckets = random_buckets();
  Accounts at_once(people, buckets), in_turn(people, buckets);
  at_once.record_repeatedly(step, norms, 4, times, [] {});
  for (std::uint32_t k = 0; k < 4; ++k) {
    std::vector<float> theirs = norms;
    for (std::size_t p = 0; p < people; ++p) {
      if (times[p] <= k) theirs[p] = 0;
    }
    in_turn.record(step, theirs);
  }
  RC_ASSERT(at_once.state() == in_turn.state());
}

// For each person and bucket: the true sum of theta lies between shares - count and shares + count
// units, whatever mixture of steps made it.
TEST(Accounts, TheSumOfSharesEnclosesThatOfTheTrueNorms) {
  oracle::Random random(31);
  for (int i = 0; i < oracle::cases() / 100; ++i) {
    const Buckets buckets = Buckets::from(1, random.coin(0.5) ? 256 : 5);
    Accounts accounts(1, buckets);
    std::vector<Arb> sums(buckets.size());
    for (int s = 0; s < 60; ++s) {
      const Step step = {
          .noise = random.log_uniform(1, 3), .clip = random.log_uniform(1e-3, 1e3), .rate = 0.1};
      const double norm = step.clip * (s % 2 == 0 ? random.log_uniform(1e-4, 2)
                                                  : 1 / step.noise / random.uniform(1, 1.1));
      accounts.record(step, std::vector<double>{norm});
      const std::size_t bucket = BucketRule<double>(step, buckets).bucket(norm);
      const auto w = [&](std::size_t j) {
        const Arb edge = Arb(buckets.edges()[j]);
        return Arb(1) / (edge * edge);
      };
      const Arb root = Arb(std::min<double>(norm, step.clip)) / (Arb(step.noise) * Arb(step.clip));
      const Arb least = bucket + 1 < buckets.size() ? w(bucket + 1) : Arb(0);
      sums[bucket] = sums[bucket] + (root * root - least) / (w(bucket) - least);
    }
    for (const auto& [bucket, count, shares] : uses_of(accounts, 0, 0)) {
      const Arb sum = sums[bucket] * Arb(kWholeShare), given(static_cast<double>(shares));
      ASSERT_TRUE(sum >= given - Arb(count) && sum <= given + Arb(count)) << bucket;
    }
  }
}

TEST(Accounts, WithoutSharesTheyStayUnknownForTheirRateForEver) {
  Accounts accounts(2, Buckets({2, 4, 8}));
  const std::vector<float> norms = {1, 0.3F};
  accounts.record({.noise = 2, .rate = 0.5}, norms);
  AccountsState before = accounts.state();
  EXPECT_TRUE(accounts.shares_known(0));
  before.shares.clear();
  Accounts loaded(before);
  EXPECT_FALSE(loaded.shares_known(0));
  for (const double rate : {0.5, 0.25}) loaded.record({.noise = 2, .rate = rate}, norms);
  EXPECT_FALSE(loaded.shares_known(0));
  EXPECT_TRUE(loaded.shares_known(1)) << "a rate that is new";
  EXPECT_EQ(uses_of(loaded, 0, 0), (std::vector<BucketUse>{{0, 2, 0}}));
  EXPECT_EQ(uses_of(loaded, 1, 0), (std::vector<BucketUse>{{0, 1, kWholeShare}}));
  const Accounts some = loaded.of(std::vector<std::size_t>{1});
  EXPECT_FALSE(some.shares_known(0));
  EXPECT_EQ(uses_of(some, 1, 0), uses_of(loaded, 1, 1));
  EXPECT_THROW(static_cast<void>(loaded.shares_known(2)), Error);
}

TEST(Accounts, TheNumberOfThreadsChangesNothing) {
  const std::size_t people = 5000, steps = 40;
  std::vector<float> norms(people * steps);
  for (std::size_t i = 0; i < norms.size(); ++i) {
    norms[i] = i % 97 == 0 ? 0 : std::exp(-5.0F + static_cast<float>(i * 7919 % 10007) * 6e-4F);
  }
  const auto norms_of_one_step = std::span<const float>(norms).first(people);
  std::vector<AccountsState> states;
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3, 7}) {
    omp_set_num_threads(threads);
    Accounts accounts(people, Buckets::from(2));
    accounts.record({.noise = 2, .rate = 0.01}, norm_table(norms, people));
    accounts.record({.noise = 3, .rate = 0.01}, norms_of_one_step);
    accounts.record({.noise = 3, .rate = 1}, norm_table(norms, people));
    states.push_back(accounts.state());
  }
  omp_set_num_threads(before);
  for (const AccountsState& state : states) EXPECT_EQ(state, states.front());
}

TEST(Accounts, ClipLargeNormsAndDoNotCountZero) {
  Accounts accounts(4, Buckets::from(2));
  const std::vector<double> norms = {0, -0.0, 1, 1e300};
  accounts.record({.noise = 2, .rate = 0.5}, norms);
  accounts.record({.noise = 2}, norms);
  for (const std::size_t nothing : {0u, 1u}) {
    EXPECT_TRUE(std::ranges::all_of(accounts.counts(0, nothing), [](auto n) { return n == 0; }));
    EXPECT_EQ(accounts.unsampled(nothing), Accounts::Unsampled{});
  }
  for (const std::size_t clipped : {2u, 3u}) {
    EXPECT_EQ(uses_of(accounts, 0, clipped), (std::vector<BucketUse>{{0, 1, kWholeShare}}));
    EXPECT_EQ(accounts.unsampled(clipped).total, Units{1} << 48);
    EXPECT_EQ(accounts.unsampled(clipped).charges, 1u);
  }
}

TEST(Accounts, NoiseBelowTheFirstEdgeIsRefusedOnlyWithSampling) {
  Accounts accounts(1, Buckets::from(2));
  const std::vector<float> norms = {1};
  EXPECT_NE(refusal([&] {
              accounts.record({.noise = 1, .rate = 0.5}, norms);
            }).find("less than the least noise of the accounts"),
            std::string::npos);
  EXPECT_EQ(accounts.state(), Accounts(1, Buckets::from(2)).state());
  accounts.record({.noise = 1}, norms);
  EXPECT_EQ(accounts.unsampled(0).total, Units{1} << 50);
}

TEST(Accounts, RefusedNormsNamePersonAndStepAndNobodyIsCharged) {
  for (const double rate : {0.01, 1.0}) {
    for (const double wrong : {-1.0, kInfinity, std::nan("")}) {
      const std::size_t people = 300, steps = 11;
      Accounts accounts(people, Buckets::from(2));
      const Step step = {.noise = 2, .rate = rate};
      std::vector<double> norms(people * steps, 0.5);
      accounts.record(step, norm_table(norms, people));
      const AccountsState before = accounts.state();
      norms[7 * people + 250] = wrong;
      norms[9 * people + 3] = wrong;
      const std::string text = refusal([&] { accounts.record(step, norm_table(norms, people)); });
      EXPECT_NE(text.find("person 250 at step 18"), std::string::npos) << text;
      const std::vector<std::size_t> who = {299, 4};
      const std::vector<double> theirs = {0.5, wrong};
      const std::string subset = refusal([&] { accounts.record(step, who, theirs); });
      EXPECT_NE(subset.find("person 4 at step 11"), std::string::npos) << subset;
      EXPECT_EQ(accounts.state(), before);
    }
  }
}

TEST(Accounts, RefuseWhatIsNotOfThesePeople) {
  Accounts accounts(3, Buckets::from(2));
  const Step step = {.noise = 2, .rate = 0.5};
  const std::vector<float> two = {1, 1}, three = {1, 1, 1};
  const std::vector<std::size_t> twice = {1, 1}, apart = {1, 2, 1}, beyond = {0, 3}, fine = {0, 2};
  EXPECT_THROW(accounts.record(step, two), Error);
  EXPECT_THROW(accounts.record(step, twice, two), Error);
  EXPECT_THROW(accounts.record(step, apart, three), Error);
  EXPECT_THROW(accounts.record(step, beyond, two), Error);
  EXPECT_THROW(accounts.record(step, fine, three), Error);
  const NormTable<float> overlapping = {three.data(), 2, 3, 1};
  EXPECT_THROW(accounts.record(step, overlapping), Error);
  EXPECT_EQ(accounts.steps(), 0u);
  EXPECT_TRUE(accounts.rates().empty());
  EXPECT_THROW(accounts.counts(0, 0), Error);
  accounts.record(step, fine, two);
  EXPECT_THROW(accounts.counts(0, 3), Error);
  EXPECT_THROW(accounts.unsampled(3), Error);
}

TEST(NormTable, IsWholeRowsOfPeople) {
  const std::vector<float> norms = {1, 2, 3, 4, 5, 6};
  const NormTable<float> table = norm_table(norms, 3);
  ASSERT_EQ(table.steps, 2u);
  EXPECT_EQ(table.row(1).size(), 3u);
  EXPECT_EQ(table.row(1)[2], 6);
  EXPECT_EQ(norm_table(norms).steps, 1u);
  EXPECT_EQ(norm_table(norms).people, 6u);
  EXPECT_EQ(refusal([&] { norm_table(norms, 4); }),
            "number of norms is 6: give whole rows of 4 people");
  EXPECT_NE(refusal([&] { norm_table(norms, 0); }), "accepted");
}

TEST(Accounts, OfSomePeopleAreTheirsAloneInTheOrderAsked) {
  Accounts accounts(3, Buckets::from(2));
  const std::vector<float> norms = {0.25, 0.5, 1}, theirs = {1, 0.25};
  const std::vector<std::size_t> who = {2, 0}, beyond = {3};
  Accounts expected(2, Buckets::from(2));
  for (const double rate : {0.5, 1.0}) {
    accounts.record({.noise = 2, .rate = rate}, norms);
    expected.record({.noise = 2, .rate = rate}, theirs);
  }
  EXPECT_EQ(accounts.of(who).state(), expected.state());
  EXPECT_THROW(accounts.of(beyond), Error);
}

TEST(Accounts, RefuseMorePeopleThanThereAreAddresses) {
  EXPECT_THROW(Accounts(0, Buckets::from(2)), Error);
  EXPECT_THROW(Accounts(std::size_t{1} << 60, Buckets::from(2)), Error);
  EXPECT_THROW(Accounts(std::numeric_limits<std::size_t>::max(), Buckets::from(2)), Error);
}

TEST(Accounts, RefuseMoreStepsThanACountHolds) {
  AccountsState state = Accounts(1, Buckets::from(2)).state();
  state.steps = Accounts::kMostSteps - 1;
  state.rates = {0.5};
  state.counts = {std::vector<std::uint32_t>(256)};
  state.counts[0][0] = static_cast<std::uint32_t>(state.steps);
  Accounts accounts(state);
  const std::vector<float> norms = {1, 1};
  const Step step = {.noise = 2, .rate = 0.5};
  EXPECT_THROW(accounts.record(step, norm_table(norms, 1)), Error);
  accounts.record(step, std::span<const float>(norms).first(1));
  EXPECT_EQ(accounts.counts(0, 0)[0], 0xffffffffu);
  EXPECT_THROW(accounts.record(step, std::span<const float>(norms).first(1)), Error);
}

// mu^2 = 10^8 a step: more than units can say.
TEST(Accounts, AFullAccountStaysFull) {
  Accounts accounts(1, Buckets::from(2));
  const std::vector<double> norms = {1}, small = {1e-6};
  accounts.record({.noise = 1e-4}, norms);
  EXPECT_EQ(accounts.unsampled(0).total, kMostUnits);
  accounts.record({.noise = 2}, small);
  EXPECT_EQ(accounts.unsampled(0).total, kMostUnits);
  EXPECT_EQ(accounts.unsampled(0).charges, 2u);
  EXPECT_EQ(mu_of(kMostUnits, 2).upper, kInfinity);
}

TEST(AccountsState, IsRefusedWhenNoStepsLeadToIt) {
  Accounts accounts(2, Buckets({2, 4}));
  const std::vector<float> norms = {1, 0.3F};
  accounts.record({.noise = 2, .rate = 0.5}, norms);
  accounts.record({.noise = 2}, norms);
  const AccountsState good = accounts.state();
  EXPECT_EQ(Accounts(good).state(), good);
  const auto refused = [&](auto change) {
    AccountsState state = good;
    change(state);
    EXPECT_THROW(Accounts{state}, Error);
  };
  refused([](AccountsState& s) { s.steps = 1; });
  refused([](AccountsState& s) { s.steps = Accounts::kMostSteps + 1; });
  refused([](AccountsState& s) { s.people = 3; });
  refused([](AccountsState& s) { s.people = 0; });
  refused([](AccountsState& s) { s.rates = {1.0}; });
  refused([](AccountsState& s) { s.rates.clear(); });
  refused([](AccountsState& s) { s.rates.push_back(0.5), s.counts.emplace_back(4); });
  refused([](AccountsState& s) { s.counts[0].push_back(0); });
  refused([](AccountsState& s) { s.shares[0].pop_back(); });
  refused([](AccountsState& s) { s.shares.emplace_back(4); });
  refused([](AccountsState& s) { s.shares[0][0] = kWholeShare + 1; });
  refused([](AccountsState& s) { s.shares[0][1] = 1; });
  refused([](AccountsState& s) { s.counts[0][0] = 2; });
  refused([](AccountsState& s) { s.buckets = Buckets({2, 3, 4}); });
  refused([](AccountsState& s) { s.unsampled.pop_back(); });
  refused([](AccountsState& s) { s.unsampled[1] = {.total = 5, .charges = 0}; });
  refused([](AccountsState& s) { s.unsampled[1] = {.total = 1, .charges = 2}; });
  refused([](AccountsState& s) { s.unsampled[1] = {.total = 9, .charges = 3}; });
}

}  // namespace
}  // namespace ration
