#include "ration/control/books.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "ration/individual/spend.h"
#include "tests/oracle/random.h"
#include "tests/refusal.h"

namespace ration::train {
namespace {

constexpr std::size_t kPeople = 40;
const Buckets kBuckets = Buckets::from(0.7, 20);

enum class With { none, gdp, rdp };
std::optional<Filter> filter_of(With with, double mu) {
  if (with == With::none) return {};
  if (with == With::gdp) return Filter(kPeople, gdp_currency(), MuBudget{mu});
  return Filter(kPeople, renyi_currency({1.5, 4, 16}), MuBudget{mu});
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
bool same(const std::optional<Filter>& a, const std::optional<Filter>& b) {
  return a && b ? a->state() == b->state() : a.has_value() == b.has_value();
}

class BooksWith : public testing::TestWithParam<With> {};
std::string name_of(const testing::TestParamInfo<With>& info) {
  return info.param == With::none ? "NoFilter" : info.param == With::gdp ? "Gdp" : "Renyi";
}
INSTANTIATE_TEST_SUITE_P(Filters, BooksWith, testing::Values(With::none, With::gdp, With::rdp),
                         name_of);

TEST_P(BooksWith, IsFilterAndAccountsUsedByHand) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    oracle::Random random(seed);
    const double mu = random.uniform(1, 9);
    Books books(kPeople, kBuckets, filter_of(GetParam(), mu));
    auto filter = filter_of(GetParam(), mu);
    Accounts accounts(kPeople, kBuckets);
    std::vector<std::uint8_t> mask(kPeople), expected(kPeople, 1);
    std::vector<std::uint32_t> admitted(kPeople);
    std::vector<std::uint32_t> first(kPeople, Attendance::kNever);
    std::size_t active = 0;
    Move move = {.step = {.noise = 1}, .norms = {}};
    for (std::uint32_t k = 0; k < 80; ++k) {
      move = next_move(random, GetParam(), active, move);
      books.charge(move.step, move.norms, mask);
      if (filter) {
        filter->admit(move.step, std::span<const float>(move.norms), std::span(expected));
      }
      ASSERT_EQ(mask, expected) << k;
      ASSERT_EQ(books.charged_steps(), k + 1);
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
        ASSERT_EQ(books.settle().accounts.state(), accounts.state()) << k;
      }
    }
    ASSERT_TRUE(same(books.settle().filter, filter));
    ASSERT_EQ(books.settle().accounts.state(), accounts.state());

    for (std::size_t i = 0; i < kPeople; ++i) {
      const Attendance::Person person = {
          .admitted = admitted[i], .left_out = 80 - admitted[i], .first_left_out = first[i]};
      ASSERT_EQ(books.settle().attendance.people[i], person) << i;
    }
  }
}

TEST(Books, NobodyPaysMoreThanTheirBudget) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    oracle::Random random(seed);
    const MuBudget budget{random.uniform(0.5, 4)};
    Books books(kPeople, kBuckets, Filter(kPeople, gdp_currency(), budget));
    std::vector<std::uint8_t> mask(kPeople);
    std::vector<Units> paid(kPeople);
    std::size_t active = 0;
    Move move = {.step = {.noise = 1}, .norms = {}};
    for (int k = 0; k < 60; ++k) {
      move = next_move(random, With::gdp, active, move);
      books.charge(move.step, move.norms, mask);
      const SpendRule rule(move.step);
      for (std::size_t i = 0; i < kPeople; ++i) {
        if (mask[i] != 0) paid[i] += rule.charge(move.norms[i]);
      }
      active = std::accumulate(mask.begin(), mask.end(), std::size_t{0});
    }
    const auto& state = books.settle().filter->state();
    ASSERT_EQ(state.spent, paid);
    for (std::size_t i = 0; i < kPeople; ++i) {
      ASSERT_LE(paid[i], state.budgets[0]);
      ASSERT_EQ(books.settle().accounts.unsampled(i).total, paid[i]);
    }
  }
}

TEST_P(BooksWith, AfterARefusalNobodyIsCharged) {
  Books books(kPeople, kBuckets, filter_of(GetParam(), 3));
  std::vector<float> norms(kPeople, 0.5F);
  std::vector<std::uint8_t> mask(kPeople);
  books.charge({.noise = 1}, norms, mask);
  Books before = books;
  norms[7] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(refusal([&] { books.charge({.noise = 1}, norms, mask); }),
            "norm of person 7 at step 1 is infinite: give a finite number that is not negative");
  norms[7] = 0;
  EXPECT_NE(refusal([&] { books.charge({.noise = 0.5, .rate = 0.1}, norms, mask); }), "accepted")
      << "less noise than the first bucket's";
  EXPECT_EQ(refusal([&] { books.charge({.noise = 1}, norms, std::span(mask).first(3)); }),
            "mask entries cover 3 people: give those of all 40");
  norms.pop_back();
  EXPECT_EQ(refusal([&] { books.charge({.noise = 1}, norms, mask); }),
            "norms cover 39 people: give those of all 40");
  EXPECT_TRUE(same(books.settle().filter, before.settle().filter));
  EXPECT_EQ(books.settle().accounts.state(), before.settle().accounts.state());
  EXPECT_EQ(books.settle().attendance, before.settle().attendance);
}

// Rows of a table, floats or doubles, are as many steps.
template <class Real>
void expect_rows_as_steps(With with) {
  oracle::Random random(5);
  Books by_steps(kPeople, kBuckets, filter_of(with, 2)), by_rows = by_steps;
  std::vector<std::uint8_t> mask(kPeople);
  std::vector<std::vector<std::uint8_t>> masks, told;
  for (int block = 0; block < 6; ++block) {
    const Step step = {.noise = 1.0 + block, .rate = with == With::gdp || block % 2 == 0 ? 1 : 0.1};
    std::vector<Real> rows;
    for (int k = 0; k < 5; ++k) {
      std::vector<float> norms(kPeople);
      for (float& norm : norms) norm = static_cast<float>(std::floor(random.uniform(0, 5))) / 2;
      by_steps.charge(step, norms, mask);
      masks.push_back(mask);
      rows.insert(rows.end(), norms.begin(), norms.end());
    }
    by_rows.charge(
        step,
        NormTable<Real>{.data = rows.data(), .steps = 5, .people = kPeople, .stride = kPeople},
        [&](std::uint64_t number, std::span<const std::uint8_t> who) {
          EXPECT_EQ(number, told.size() + 1);
          told.emplace_back(who.begin(), who.end());
        });
  }
  if (with != With::none) {
    EXPECT_EQ(told, masks);
  }
  EXPECT_TRUE(same(by_rows.settle().filter, by_steps.settle().filter));
  EXPECT_EQ(by_rows.settle().accounts.state(), by_steps.settle().accounts.state());
  EXPECT_EQ(by_rows.settle().attendance, by_steps.settle().attendance);
}
TEST_P(BooksWith, RowsAreAsManySteps) {
  expect_rows_as_steps<float>(GetParam());
  expect_rows_as_steps<double>(GetParam());
}

// Whatever a filter has let in is in the accounts, and nothing else.
TEST(Books, ARowThatIsRefusedEndsWithTheRowsBeforeItCharged) {
  Books books(kPeople, kBuckets, filter_of(With::gdp, 2)), expected = books;
  std::vector<double> rows(4 * kPeople, 0.5);
  const auto first = [&](std::size_t count) {
    return NormTable<double>{
        .data = rows.data(), .steps = count, .people = kPeople, .stride = kPeople};
  };
  expected.charge({.noise = 1}, first(2));
  rows[2 * kPeople + 3] = -1;
  EXPECT_EQ(refusal([&] { books.charge({.noise = 1}, first(4)); }),
            "norm of person 3 at step 2 is negative: give a finite number that is not negative");
  EXPECT_EQ(books.charged_steps(), 2u);
  EXPECT_TRUE(same(books.settle().filter, expected.settle().filter));
  EXPECT_EQ(books.settle().accounts.state(), expected.settle().accounts.state());
  EXPECT_EQ(books.settle().attendance, expected.settle().attendance);
}

TEST(Books, WouldAdmitWhomTheNextChargeAdmits) {
  oracle::Random random(3);
  for (const With with : {With::none, With::gdp}) {
    Books books(kPeople, kBuckets, filter_of(with, 2));
    std::vector<float> norms(kPeople);
    std::vector<std::uint8_t> mask(kPeople), ahead(kPeople);
    for (int k = 0; k < 30; ++k) {
      if (k % 10 == 0) {  // the same again, so that repeats are counted
        for (float& norm : norms) norm = static_cast<float>(random.uniform(0, 1));
      }
      const Books::Settled& settled = books.settle();
      for (const std::size_t at : {std::size_t{0}, kPeople / 2}) {
        settled.would_admit({.noise = 1}, at, std::span(norms).subspan(at, kPeople / 2),
                            std::span(ahead).subspan(at, kPeople / 2));
      }
      books.charge({.noise = 1}, norms, mask);
      ASSERT_EQ(mask, ahead) << k;
    }
  }
}

TEST(Books, PartsMustBelongTogether) {
  const Attendance::Person always = {.admitted = 1};
  const auto refused = [](std::vector<Attendance::Person> people, bool filtered, int seen) {
    Accounts accounts(2, kBuckets);
    accounts.record({.noise = 1}, std::span<const float>(std::vector<float>{1, 1}));
    std::optional<Filter> filter;
    if (filtered)
      filter = Filter({.currency = gdp_currency(),
                       .spent = {0, 0},
                       .budgets = {9},
                       .steps = static_cast<std::uint64_t>(seen)});
    return refusal([&] {
      const Books books({.accounts = accounts, .filter = filter, .attendance = {.people = people}});
    });
  };
  const std::string unlike = "books are wrong: an attendance does not fit the number of steps";
  EXPECT_EQ(refused({always, always}, false, 0), "accepted");
  EXPECT_EQ(refused({always, {.left_out = 1, .first_left_out = 0}}, true, 1), "accepted");
  EXPECT_EQ(refused({always, always}, true, 7), "accepted") << "a budget used before";
  EXPECT_EQ(refused({always, always}, true, 0),
            "books are wrong: their filter has seen fewer steps than were charged");
  EXPECT_EQ(refused({always, {.left_out = 1, .first_left_out = 0}}, false, 0), unlike);
  EXPECT_EQ(refused({always, {.left_out = 1, .first_left_out = 1}}, true, 1), unlike);
  EXPECT_EQ(refused({always, {.left_out = 1}}, true, 1), unlike);
  EXPECT_EQ(refused({always, {.admitted = 1, .first_left_out = 0}}, true, 1), unlike);
  EXPECT_EQ(refused({always, {.admitted = 2}}, true, 1), unlike);
  EXPECT_EQ(refused({always}, true, 1), "attendances cover 1 people: give those of all 2");
  EXPECT_EQ(
      refusal([&] { const Books books(3, kBuckets, Filter(2, gdp_currency(), MuBudget{1})); }),
      "budgets of the filter cover 2 people: give those of all 3");
}

}  // namespace
}  // namespace ration::train
