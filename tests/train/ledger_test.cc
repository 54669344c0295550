#include "ration/train/ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/oracle/random.h"
#include "tests/refusal.h"

namespace ration::train {
namespace {

constexpr std::size_t kPeople = 40;
const Buckets kBuckets = Buckets::from(0.7, 20);

enum class With { none, gdp, rdp };
std::optional<IndividualFilter> filter_of(With with, double mu) {
  if (with == With::none) return {};
  if (with == With::gdp) return individual_filter(FilterKind::gdp, kPeople, MuBudget{mu});
  return individual_filter(FilterKind::rdp, kPeople, MuBudget{mu}, {1.5, 4, 16});
}

struct Move {
  Step step;
  std::vector<float> norms;
};
// `active` is how many took part before: what an adaptive analyst could have seen. Norms are few,
// for each costs a cell of the Renyi filter's table; or the same as before.
Move next_move(oracle::Random& random, With with, std::size_t active, const Move& before) {
  static constexpr double kNoises[] = {0.7, 1, 2, 5};
  if (!before.norms.empty() && random.coin(0.85)) return before;
  Move move = {.step = {.noise = kNoises[active % 4],
                        .clip = random.coin(0.5) ? 1.0 : 2.0,
                        .rate = with == With::gdp || random.coin(0.3) ? 1.0 : 0.1},
               .norms = {}};
  for (std::size_t i = 0; i < kPeople; ++i) {
    move.norms.push_back(
        random.coin(0.2) ? 0 : static_cast<float>(std::floor(random.uniform(0, 6))) / 2);
  }
  return move;
}

// All that is remembered of a filter; nothing of none.
template <class Filter>
bool same_state(const std::optional<IndividualFilter>& a,
                const std::optional<IndividualFilter>& b) {
  return std::get<Filter>(*a).state() == std::get<Filter>(*b).state();
}
bool same(const std::optional<IndividualFilter>& a, const std::optional<IndividualFilter>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::holds_alternative<IndividualGdpFilter>(*a) ? same_state<IndividualGdpFilter>(a, b)
                                                         : same_state<IndividualRenyiFilter>(a, b);
}

class LedgerWith : public testing::TestWithParam<With> {};
std::string name_of(const testing::TestParamInfo<With>& info) {
  return info.param == With::none ? "NoFilter" : info.param == With::gdp ? "Gdp" : "Renyi";
}
INSTANTIATE_TEST_SUITE_P(Filters, LedgerWith, testing::Values(With::none, With::gdp, With::rdp),
                         name_of);

TEST_P(LedgerWith, IsFilterAndAccountsUsedByHand) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    oracle::Random random(seed);
    const double mu = random.uniform(1, 9);
    Ledger ledger(kPeople, kBuckets, filter_of(GetParam(), mu));
    auto filter = filter_of(GetParam(), mu);
    Accounts accounts(kPeople, kBuckets);
    std::vector<std::uint8_t> mask(kPeople), expected(kPeople, 1);
    std::vector<std::uint32_t> admitted(kPeople);
    std::vector<std::uint32_t> first(kPeople, Attendance::kNever);
    std::size_t active = 0;
    Move move = {.step = {.noise = 1}, .norms = {}};
    for (std::uint32_t k = 0; k < 80; ++k) {
      move = next_move(random, GetParam(), active, move);
      ledger.charge(move.step, move.norms, mask);
      if (filter) {
        admit(*filter, move.step, std::span<const float>(move.norms), std::span(expected));
      }
      ASSERT_EQ(mask, expected) << k;
      ASSERT_EQ(ledger.charged_steps(), k + 1);
      std::vector<std::size_t> who;
      std::vector<float> paid;
      for (std::size_t i = 0; i < kPeople; ++i) {
        admitted[i] += mask[i];
        if (mask[i] == 0) first[i] = std::min(first[i], k);
        if (mask[i] == 0) continue;
        who.push_back(i);
        paid.push_back(move.norms[i]);
      }
      accounts.record(move.step, std::span<const std::size_t>(who), std::span<const float>(paid));
      active = who.size();
      if (random.coin(0.05)) {
        ASSERT_EQ(ledger.accounts().state(), accounts.state()) << k;
      }
    }
    ASSERT_TRUE(same(ledger.filter(), filter));
    ASSERT_EQ(ledger.accounts().state(), accounts.state());

    for (std::size_t i = 0; i < kPeople; ++i) {
      const Attendance::Person person = {
          .admitted = admitted[i], .left_out = 80 - admitted[i], .first_left_out = first[i]};
      ASSERT_EQ(ledger.attendance().people[i], person) << i;
    }
  }
}

TEST(Ledger, NobodyPaysMoreThanTheirBudget) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    oracle::Random random(seed);
    const MuBudget budget{random.uniform(0.5, 4)};
    Ledger ledger(kPeople, kBuckets, individual_filter(FilterKind::gdp, kPeople, budget));
    std::vector<std::uint8_t> mask(kPeople);
    std::vector<Units> paid(kPeople);
    std::size_t active = 0;
    Move move = {.step = {.noise = 1}, .norms = {}};
    for (int k = 0; k < 60; ++k) {
      move = next_move(random, With::gdp, active, move);
      ledger.charge(move.step, move.norms, mask);
      const SpendRule rule(move.step);
      for (std::size_t i = 0; i < kPeople; ++i) {
        if (mask[i] != 0) paid[i] += rule.charge(move.norms[i]);
      }
      active = std::accumulate(mask.begin(), mask.end(), std::size_t{0});
    }
    const auto& state = std::get<IndividualGdpFilter>(*ledger.filter()).state();
    ASSERT_EQ(state.spent, paid);
    for (std::size_t i = 0; i < kPeople; ++i) {
      ASSERT_LE(paid[i], state.budgets[0]);
      ASSERT_EQ(ledger.accounts().unsampled(i).total, paid[i]);
    }
  }
}

TEST_P(LedgerWith, AfterARefusalNobodyIsCharged) {
  Ledger ledger(kPeople, kBuckets, filter_of(GetParam(), 3));
  std::vector<float> norms(kPeople, 0.5F);
  std::vector<std::uint8_t> mask(kPeople);
  ledger.charge({.noise = 1}, norms, mask);
  const Ledger before = ledger;
  norms[7] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(refusal([&] { ledger.charge({.noise = 1}, norms, mask); }),
            "norm of person 7 at step 1 is infinite: give a finite number that is not negative");
  norms[7] = 0;
  EXPECT_NE(refusal([&] { ledger.charge({.noise = 0.5, .rate = 0.1}, norms, mask); }), "accepted")
      << "less noise than the first bucket's";
  EXPECT_EQ(refusal([&] { ledger.charge({.noise = 1}, norms, std::span(mask).first(3)); }),
            "mask entries cover 3 people: give those of all 40");
  norms.pop_back();
  EXPECT_EQ(refusal([&] { ledger.charge({.noise = 1}, norms, mask); }),
            "norms cover 39 people: give those of all 40");
  EXPECT_TRUE(same(ledger.filter(), before.filter()));
  EXPECT_EQ(ledger.accounts().state(), before.accounts().state());
  EXPECT_EQ(ledger.attendance(), before.attendance());
}

TEST(Ledger, PartsMustBelongTogether) {
  const Attendance::Person always = {.admitted = 1};
  const auto refused = [](std::vector<Attendance::Person> people, bool filtered, int seen) {
    Accounts accounts(2, kBuckets);
    accounts.record({.noise = 1}, std::span<const float>(std::vector<float>{1, 1}));
    std::optional<IndividualFilter> filter;
    if (filtered)
      filter = IndividualGdpFilter(
          {.spent = {0, 0}, .budgets = {9}, .steps = static_cast<std::uint64_t>(seen)});
    return refusal([&] { const Ledger ledger(accounts, filter, {.people = people}); });
  };
  const std::string unlike = "ledger is wrong: an attendance does not fit the number of steps";
  EXPECT_EQ(refused({always, always}, false, 0), "accepted");
  EXPECT_EQ(refused({always, {.left_out = 1, .first_left_out = 0}}, true, 1), "accepted");
  EXPECT_EQ(refused({always, always}, true, 7), "accepted") << "a budget used before";
  EXPECT_EQ(refused({always, always}, true, 0),
            "ledger is wrong: its filter has seen fewer steps than were charged");
  EXPECT_EQ(refused({always, {.left_out = 1, .first_left_out = 0}}, false, 0), unlike);
  EXPECT_EQ(refused({always, {.left_out = 1, .first_left_out = 1}}, true, 1), unlike);
  EXPECT_EQ(refused({always, {.left_out = 1}}, true, 1), unlike);
  EXPECT_EQ(refused({always, {.admitted = 1, .first_left_out = 0}}, true, 1), unlike);
  EXPECT_EQ(refused({always, {.admitted = 2}}, true, 1), unlike);
  EXPECT_EQ(refused({always}, true, 1), "attendances cover 1 people: give those of all 2");
  EXPECT_EQ(refusal([&] {
              const Ledger ledger(3, kBuckets, individual_filter(FilterKind::gdp, 2, MuBudget{1}));
            }),
            "budgets of the filter cover 2 people: give those of all 3");
}

}  // namespace
}  // namespace ration::train
