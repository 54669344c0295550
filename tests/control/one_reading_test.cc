// Another thread writes to the norms while they are read. Whatever it does, nobody is admitted
// without a charge, and filter and accounts hold the same. What is read while it is written to
// races by design: these tests are not for the thread sanitizer.

#include "ration/control/one_reading.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "ration/base/error.h"
#include "ration/control/books.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "ration/individual/spend.h"
#include "tests/oracle/random.h"
#include "tests/refusal.h"

namespace ration {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr Step kStep = {.noise = 10};

// Calls write(round) again and again, until it goes.
class Meddler {
 public:
  explicit Meddler(std::function<void(std::uint32_t)> write)
      : thread_([this, write = std::move(write)] {
          for (std::uint32_t round = 0; !stop_; ++round) write(round);
        }) {}
  ~Meddler() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

void set(float& x, float value) {
  std::atomic_ref<float>(x).store(value, std::memory_order_relaxed);
}

// Many norms grow and shrink, and one of them is for a while not a number.
std::function<void(std::uint32_t)> change(std::vector<float>& norms) {
  return [&](std::uint32_t round) {
    for (std::size_t i = round % 7; i < norms.size(); i += 61) {
      set(norms[i], (round & 1) != 0 ? 1.0F : 0.25F);
    }
    float& one = norms[norms.size() - 1 - round % (norms.size() / 2)];
    if (round % 3 == 0) set(one, kNan);
    for (std::uint32_t i = 0; i < 1000; ++i) set(norms[i % 7], (i & 8) != 0 ? 1.0F : 0.25F);
    set(one, 0.5F);
  };
}

template <class Work>
void for_a_second(const Work& work) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (!testing::Test::HasFatalFailure() && std::chrono::steady_clock::now() < end) work();
}

TEST(OneReading, NobodyIsAdmittedUnchargedOrRefundedTooMuch) {
  constexpr std::size_t kPeople = 100'000;
  const SpendRule rule(kStep);
  const std::vector<Units> possible = {rule.charge(0.25), rule.charge(0.5), rule.charge(1)};
  std::vector<float> norms(kPeople, 0.5F);
  std::vector<std::uint8_t> mask(kPeople);
  Filter filter(kPeople, gdp_currency(), StepsBudget{.step = kStep, .steps = 40});
  const Meddler meddler(change(norms));
  for_a_second([&] {
    const Filter::State before = filter.state();
    const std::string told = refusal([&] { filter.admit(kStep, norms, mask); });
    const Filter::State& after = filter.state();
    const bool may_stay = told.find("may stay charged") != std::string::npos;
    ASSERT_EQ(after.steps, before.steps + (told == "accepted" ? 1 : 0));
    for (std::size_t i = 0; i < kPeople; ++i) {
      const Units charge = after.spent[i] - before.spent[i];
      const bool one_of_them =
          std::find(possible.begin(), possible.end(), charge) != possible.end();
      const bool admitted = told == "accepted" && mask[i] == 1;
      ASSERT_TRUE(admitted ? one_of_them : charge == 0 || (may_stay && one_of_them))
          << i << ": " << charge << ", " << told;
    }
    if (before.steps > 1000) filter = Filter(kPeople, gdp_currency(), MuBudget{3});
  });
}

// A price during which another thread does its worst.
using Disturb = std::function<void(std::span<const float> norms)>;
class DisturbedPrice final : public Price {
 public:
  DisturbedPrice(std::unique_ptr<Price> price, const Disturb& disturb)
      : Price(1), price_(std::move(price)), disturb_(disturb) {}
  void charges(const Norms& norms, Units* out) const override {
    price_->charges(norms, out);
    disturb_(std::get<std::span<const float>>(norms));
  }
  Row worst_case() const override { return price_->worst_case(); }

 private:
  std::unique_ptr<Price> price_;
  const Disturb& disturb_;
};
class DisturbedCurrency final : public Currency {
 public:
  explicit DisturbedCurrency(Disturb disturb) : disturb_(std::move(disturb)) {}
  std::string_view name() const override { return gdp_->name(); }
  std::size_t places() const override { return gdp_->places(); }
  bool takes_sampling() const override { return gdp_->takes_sampling(); }
  bool has_kinds() const override { return gdp_->has_kinds(); }
  Row units_of(const Budget& budget) const override { return gdp_->units_of(budget); }
  std::unique_ptr<Price> price(const Step& step) const override {
    return std::make_unique<DisturbedPrice>(gdp_->price(step), disturb_);
  }
  Row charge(Mu mu) const override { return gdp_->charge(mu); }
  Bound epsilon(std::span<const Units> row, Delta delta) const override {
    return gdp_->epsilon(row, delta);
  }
  Guarantee filter_guarantee(Scope scope) const override { return gdp_->filter_guarantee(scope); }
  Guarantee odometer_guarantee() const override { return gdp_->odometer_guarantee(); }

 private:
  CurrencyPtr gdp_ = gdp_currency();
  Disturb disturb_;
};

// Person 20000 has a wrong norm. When everybody else has been charged, and before that is undone,
// norms become what `then` makes of them.
struct Undone {
  std::string told;
  Units spent, charged;  // by person 0
};
Undone undone(const std::function<void(std::vector<float>&)>& then) {
  constexpr std::size_t kPeople = 40'000;
  std::vector<float> norms(kPeople, 0.5F);
  norms[20'000] = kNan;
  norms.back() = 0.75F;
  const auto currency = std::make_shared<DisturbedCurrency>([&](std::span<const float> some) {
    if (some.back() == 0.75F) then(norms);
  });
  Filter filter(kPeople, currency, MuBudget{1});
  std::vector<std::uint8_t> mask(kPeople);
  const std::string told = refusal([&] { filter.admit(kStep, norms, mask); });
  EXPECT_EQ(filter.steps(), 0u);
  return {.told = told, .spent = filter.state().spent[0], .charged = SpendRule(kStep).charge(0.5)};
}

TEST(OneReading, ARefusedStepIsUndoneExactlyOrSaysSo) {
  const Undone plain = undone([](std::vector<float>&) {});
  EXPECT_EQ(plain.told,
            "norm of person 20000 at step 0 is not a number: give a finite number that is not "
            "negative");
  EXPECT_EQ(plain.spent, 0u);

  const Undone gone = undone([](std::vector<float>& norms) { norms[20'000] = 1; });
  EXPECT_EQ(gone.told,
            "norms changed while they were read, and some were no norms: nobody was charged");
  EXPECT_EQ(gone.spent, 0u);

  const Undone larger = undone([](std::vector<float>& norms) { norms[0] = 1; });
  EXPECT_EQ(larger.told,
            "norms changed while they were read, and some were no norms: the step is refused, and "
            "people may stay charged for it");
  EXPECT_EQ(larger.spent, larger.charged);
}

TEST(OneReading, TilesThatHaveChangedAreToldFromThoseThatHaveNot) {
  oracle::Random random(1);
  std::vector<double> norms(5 * kMostCopied + 3);
  for (double& x : norms) x = random.uniform(0, 1);
  norms[2 * kMostCopied] = -1;
  TilesOfNorms<double> tiles(norms);
  std::vector<double> first(norms.size()), again(norms.size());
  const auto into = [](std::vector<double>& all) {
    return [&](std::size_t from, std::span<const double> own) {
      std::copy(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(from));
    };
  };
  EXPECT_FALSE(tiles.each(into(first)));
  EXPECT_TRUE(tiles.each_again(into(again)));
  EXPECT_EQ(first, again);
  EXPECT_EQ(first[1], norms[1]);
  EXPECT_EQ(first[2 * kMostCopied + 1], 0);  // beside a wrong one
  EXPECT_EQ(first.back(), norms.back());

  std::swap(norms[0], norms[kMostCopied - 1]);
  norms.back() = std::nextafter(norms.back(), 2);
  again.assign(norms.size(), 0);
  EXPECT_FALSE(tiles.each_again(into(again)));
  EXPECT_EQ(again[1], 0);
  EXPECT_EQ(again[kMostCopied], norms[kMostCopied]);
  EXPECT_EQ(again.back(), 0);
}

template <class Real>
void expect_prints_tell_apart() {
  oracle::Random random(2);
  for (const std::size_t count : {1u, 2u, 3u, 15u, 16u, 17u, 100u, 2047u, 2048u}) {
    std::vector<Real> norms(count), own(count);
    for (Real& x : norms) x = static_cast<Real>(random.uniform(0, 1));
    const NormsRead before = copy_norms(print_key(), norms, own.data());
    EXPECT_TRUE(before.are_norms);
    EXPECT_EQ(own, norms);
    EXPECT_EQ(copy_norms(print_key(), norms, own.data()).print, before.print);
    for (std::size_t i = 0; i < count; i += 1 + count / 50) {
      for (const Real other : {Real{0}, Real{-0.0}, std::nextafter(norms[i], Real{2}), Real{-1},
                               std::numeric_limits<Real>::infinity()}) {
        const Real kept = std::exchange(norms[i], other);
        const NormsRead after = copy_norms(print_key(), norms, own.data());
        EXPECT_EQ(after.are_norms, other >= 0 && std::isfinite(other)) << i << " of " << count;
        EXPECT_NE(after.print, before.print) << i << " of " << count;
        norms[i] = kept;
      }
    }
  }
}
TEST(OneReading, PrintsTellNormsApartWherever) {
  expect_prints_tell_apart<float>();
  expect_prints_tell_apart<double>();
}

TEST(OneReading, ASampledStepIsChargedForWhatWasPrepared) {
  constexpr std::size_t kPeople = 20'000;
  const Step step = {.noise = 2, .rate = 0.1};
  std::vector<float> norms(kPeople, 0.5F);
  std::vector<std::uint8_t> mask(kPeople);
  Filter filter(kPeople, renyi_currency({8}), StepsBudget{.step = step, .steps = 1e6});
  const Meddler meddler([&](std::uint32_t round) {
    set(norms.back(), 1 / (1 + static_cast<float>(round % 4096) / 256));
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  });
  for_a_second([&] {
    const Units before = filter.state().spent.back();
    filter.admit(step, norms, mask);
    ASSERT_EQ(mask.back(), 1);
    ASSERT_GT(filter.state().spent.back(), before);
  });
}

void expect_same(const Books::Settled& books) {
  const auto& spent = books.filter->state().spent;
  const auto& accounts = books.accounts.state().unsampled;
  ASSERT_EQ(books.filter->steps(), books.accounts.steps());
  for (std::size_t i = 0; i < spent.size(); ++i) {
    ASSERT_EQ(spent[i], accounts[i].total) << i;
    ASSERT_EQ(books.attendance.people[i].admitted, accounts[i].charges) << i;
  }
}

TEST(OneReading, WhatTheFilterChargedIsInEverybodysAccount) {
  constexpr std::size_t kPeople = 30'000, kRows = 3;
  std::vector<float> norms(kRows * kPeople, 0.5F);
  std::vector<std::uint8_t> mask(kPeople);
  const auto new_books = [] {
    return Books(kPeople, Buckets::from(10),
                 Filter(kPeople, gdp_currency(), StepsBudget{.step = kStep, .steps = 100}));
  };
  Books books = new_books();
  const Meddler meddler(change(norms));
  for_a_second([&] {
    if (books.charged_steps() > 500) books = new_books();
    refusal([&] { books.charge(kStep, norm_table(norms, kPeople)); });
    expect_same(books.settle());
    const auto row = std::span<const float>(norms).first(kPeople);
    refusal([&] { books.charge(kStep, row, mask); });
    expect_same(books.settle());
  });
}

TEST(OneReading, EverybodysAccountHoldsOneChargeForEachStep) {
  constexpr std::size_t kPeople = 30'000, kRows = 3;
  const SpendRule rule(kStep);
  std::vector<float> norms(kRows * kPeople, 0.5F);
  Accounts accounts(kPeople, Buckets::from(2));
  std::uint64_t sampled = 0, unsampled = 0;
  const Meddler meddler(change(norms));
  for_a_second([&] {
    const NormTable<float> table = norm_table(norms, kPeople);
    if (refusal([&] { accounts.record(kStep, table); }) == "accepted") unsampled += kRows;
    if (refusal([&] { accounts.record({.noise = 2, .rate = 0.5}, table); }) == "accepted")
      sampled += kRows;
    for (std::size_t i = 0; i < kPeople; ++i) {
      const Accounts::Unsampled& exact = accounts.state().unsampled[i];
      ASSERT_EQ(exact.charges, unsampled);
      ASSERT_GE(exact.total, unsampled * rule.charge(0.25));
      ASSERT_LE(exact.total, unsampled * rule.charge(1));
      if (sampled == 0) continue;
      const auto counts = accounts.counts(0, i);
      ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), sampled);
    }
  });
}

}  // namespace
}  // namespace ration
