// State files as they were written before filters and odometers became one class each
// (tests/state/before): they load, hold what they held, and are saved again byte for byte. The same
// steps lead to the same files.

#include <gtest/gtest.h>

#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "ration/state/saved.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

using U64s = std::vector<std::uint64_t>;

const std::vector<Step> kSteps = {{.noise = 2}, {.noise = 3, .clip = 2}, {.noise = 1.5}};
const std::vector<Step> kSampledSteps = {
    {.noise = 2, .rate = 0.1}, {.noise = 3, .clip = 2}, {.noise = 1.5, .rate = 0.01}};
const std::vector<double> kNorms = {1, 0.25, 0, 5, 0.7};
const std::vector<Order> kOrders = {1.5, 3, 8};

std::string before(const std::string& kind) {
  return RATION_SOURCE_DIR "/tests/state/before/" + kind + ".state";
}

Budgets two_kinds() { return {.kinds = {MuBudget{0.75}, MuBudget{2}}, .kind_of = {0, 0, 1, 1, 0}}; }

// Loads it, and expects that it and what was made anew are saved as the same file.
template <class Saved>
Saved loaded(const std::string& kind, const Saved& made_anew) {
  const Scratch scratch;
  auto found = load<Saved>(before(kind), kind);
  save(scratch.file("again"), found);
  EXPECT_EQ(contents(scratch.file("again")), contents(before(kind)));
  save(scratch.file("anew"), made_anew);
  EXPECT_EQ(contents(scratch.file("anew")), contents(before(kind)));
  return found;
}

TEST(StateBefore, OfAccounts) {
  Accounts accounts(5, Buckets({1, 2, 8}));
  for (const Step& step : kSampledSteps) accounts.record(step, std::span<const double>(kNorms));
  // What was made before shares were kept: the same but for them.
  AccountsState without = accounts.state();
  without.shares.clear();
  auto found = loaded("accounts", Accounts(without));
  EXPECT_FALSE(found.shares_known(0) || found.shares_known(1));
  // It can go on, its rates without shares and new ones with them, and be saved and loaded.
  for (const double rate : {0.1, 0.3}) {
    found.record({.noise = 2, .rate = rate}, std::span<const double>(kNorms));
  }
  const Scratch scratch;
  save(scratch.file("on"), found);
  const auto on = load<Accounts>(scratch.file("on"));
  EXPECT_EQ(on.state(), found.state());
  EXPECT_FALSE(on.shares_known(0) || on.shares_known(1));
  EXPECT_TRUE(on.shares_known(2));
  found = loaded("accounts", Accounts(without));
  EXPECT_EQ(found.steps(), 3u);
  EXPECT_EQ(found.people(), 5u);
  EXPECT_EQ(found.rates().size(), 2u);
}

TEST(StateBefore, OfAGdpFilter) {
  Filter filter(gdp_currency(), MuBudget{0.75});
  for (const Step& step : kSteps) filter.admit(step);
  const Filter::State found = loaded("gdp-filter", filter).state();
  EXPECT_EQ(found.budgets, U64s{633318697598976});
  EXPECT_EQ(found.spent, U64s{406574966359837});
  EXPECT_EQ(found.steps, 2u) << "the third was halted";
}

TEST(StateBefore, OfAnIndividualGdpFilter) {
  Filter filter(5, gdp_currency(), two_kinds());
  std::vector<std::uint8_t> mask(5);
  for (const Step& step : kSteps) filter.admit(step, kNorms, mask);
  const Filter::State found = loaded("individual-gdp-filter", filter).state();
  const Units less = 633318697598976, more = 4503599627370496;
  EXPECT_EQ(found.budgets, (U64s{less, less, more, more, less}));
  EXPECT_EQ(found.spent,
            (U64s{312749974122952, 50821870794982, 0, 906974924956559, 398443467032641}));
  EXPECT_EQ(found.steps, 3u);
}

TEST(StateBefore, OfARenyiFilter) {
  Filter filter(renyi_currency(kOrders), MuBudget{0.4});
  for (const Step& step : kSampledSteps) filter.admit(step);
  const Filter::State found = loaded("renyi-filter", filter).state();
  EXPECT_EQ(found.budgets, (U64s{135107988821114, 270215977642228, 720575940379276}));
  EXPECT_EQ(found.spent, (U64s{96235283963565, 192669417544239, 516115943274275}));
  EXPECT_TRUE(*found.currency == *renyi_currency(kOrders));
  EXPECT_EQ(found.steps, 3u);
}

const U64s kRenyiTotals = {25866539785901,
                           51931929188911,
                           140815974326735,
                           1602332648615,
                           3205244259746,
                           8552527310896,
                           0,
                           0,
                           0,
                           96235283963565,
                           192669417544239,
                           516115943274275,
                           12611175555551,
                           25262912909901,
                           67770385548665};

TEST(StateBefore, OfAnIndividualRenyiFilter) {
  Filter filter(5, renyi_currency(kOrders), two_kinds());
  std::vector<std::uint8_t> mask(5);
  for (const Step& step : kSampledSteps) filter.admit(step, kNorms, mask);
  const Filter::State found = loaded("individual-renyi-filter", filter).state();
  EXPECT_EQ(found.budgets, (U64s{474989023199232, 949978046398464, 2533274790395904,
                                 3377699720527872, 6755399441055744, 18014398509481984}));
  EXPECT_EQ(found.kind_of, (std::vector<std::uint32_t>{0, 0, 1, 1, 0}));
  EXPECT_EQ(found.spent, kRenyiTotals);
  EXPECT_EQ(found.steps, 3u);
}

TEST(StateBefore, OfAGdpOdometer) {
  Odometer odometer(gdp_currency(), levels_of(*gdp_currency(), MuBudget{0.5}));
  for (const Step& step : kSteps) odometer.record(step);
  const auto found = loaded("gdp-odometer", odometer);
  EXPECT_EQ(found.state().spent, U64s{906974924956559});
  EXPECT_EQ(found.reading(0, 1e-5).level, 4u);
}

TEST(StateBefore, OfAnIndividualGdpOdometer) {
  const std::vector<Budget> levels = {MuBudget{0.5}, MuBudget{1}, MuBudget{3}};
  Odometer odometer(5, gdp_currency(), levels_of(*gdp_currency(), levels));
  for (const Step& step : kSteps) odometer.record(step, kNorms);
  const auto found = loaded("individual-gdp-odometer", odometer);
  EXPECT_EQ(found.state().spent,
            (U64s{813149932719674, 50821870794982, 0, 906974924956559, 398443467032641}));
  EXPECT_EQ(found.reached(), (U64s{2, 1, 0, 2, 2}));
  EXPECT_EQ(found.steps(), 3u);
}

TEST(StateBefore, OfARenyiOdometer) {
  const CurrencyPtr currency = renyi_currency(kOrders);
  Odometer odometer(currency, levels_of(*currency, MuBudget{0.25}));
  for (const Step& step : kSampledSteps) odometer.record(step);
  const auto found = loaded("renyi-odometer", odometer);
  EXPECT_EQ(found.state().spent, (U64s{96235283963565, 192669417544239, 516115943274275}));
  EXPECT_EQ(found.reading(0, 1e-5).level, 2u);
  EXPECT_EQ(found.reading(0, 1e-5).epsilon.upper, 1.7141091678455351);
}

TEST(StateBefore, OfAnIndividualRenyiOdometer) {
  const CurrencyPtr currency = renyi_currency(kOrders);
  const std::vector<Budget> levels = {MuBudget{0.25}, MuBudget{0.5}, MuBudget{3}};
  Odometer odometer(5, currency, levels_of(*currency, levels));
  for (const Step& step : kSampledSteps) odometer.record(step, kNorms);
  const auto found = loaded("individual-renyi-odometer", odometer);
  EXPECT_EQ(found.state().spent, kRenyiTotals);
  EXPECT_EQ(found.reached(), (U64s{1, 1, 0, 2, 1}));
}

}  // namespace
}  // namespace ration
