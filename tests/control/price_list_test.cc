#include "ration/control/price_list.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ration/control/tight_currency.h"
#include "ration/control/tight_price.h"
#include "tests/refusal.h"

namespace ration {
namespace {

constexpr Units kWhole = PriceList::kWholeStep;

SubsampledGaussian at_noise(double noise, double rate = 0.01) {
  return {.noise = noise, .rate = rate};
}

TEST(PriceList, RefusesEntriesThatAreNotInOrder) {
  const PricedStep worst{.step = at_noise(1), .price = kWhole};
  expect_refusal([&] { PriceList({}, 1); }, {"price list"});
  expect_refusal([&] { PriceList({{at_noise(1), 3}}, 1); }, {"clip bound"});
  expect_refusal([&] { PriceList({worst, {at_noise(1), 100}}, 1); }, {"entry", "more noise"});
  expect_refusal([&] { PriceList({worst, {at_noise(2), kWhole + 1}}, 1); }, {"entry", "price"});
  expect_refusal([&] { PriceList({worst, {at_noise(2, 0.02), 100}}, 1); }, {"entry", "rate"});
  expect_refusal([&] { PriceList({worst, {at_noise(2), 15}}, 1); }, {"price", "at least 16"});
  expect_refusal([&] { PriceList({worst}, 0); }, {"last steps"});
}

TEST(PriceList, RoundsNoiseDownToAnEntryAndRefusesLessThanTheFirst) {
  const PriceList list({{at_noise(1), kWhole}, {at_noise(2), 100}, {at_noise(4), 50}}, 1);
  EXPECT_EQ(list.entry_for(at_noise(1)), 0u);
  EXPECT_EQ(list.entry_for(at_noise(1.999)), 0u);
  EXPECT_EQ(list.entry_for(at_noise(2)), 1u);
  EXPECT_EQ(list.entry_for(at_noise(100)), 2u);
  expect_refusal([&] { list.entry_for(at_noise(0.999)); }, {"noise", "at least 1"});
}

TEST(PriceList, NeverPaysForALargerRateThanAnEntryHas) {
  const PriceList list({{at_noise(1, 0.02), kWhole}, {at_noise(2, 0.01), 100}}, 1);
  EXPECT_EQ(list.entry_for(at_noise(3, 0.01)), 1u);
  EXPECT_EQ(list.entry_for(at_noise(3, 0.015)), 0u);
  expect_refusal([&] { list.entry_for(at_noise(3, 0.021)); }, {"rate", "at most 0.02"});
  // Between entries of unlike rates the dearer price counts.
  const PriceList lines(list.entries(), 1, true);
  EXPECT_EQ(lines.price(at_noise(1.999, 0.01)), kWhole);
  EXPECT_EQ(lines.price(at_noise(2, 0.01)), 100u);
}

TEST(PriceList, NearTheEndEveryStepCostsAWholeOne) {
  const PriceList list({{at_noise(1), kWhole}, {at_noise(2), kWhole / 4}}, 3);
  EXPECT_EQ(list.near_the_end(), 4 * kWhole);
  EXPECT_EQ(list.steps_for(at_noise(1), 10 * kWhole), 10u);
  // 25 quarters lead from ten whole steps to less than four, and three whole ones follow.
  EXPECT_EQ(list.steps_for(at_noise(2), 10 * kWhole), 28u);
  EXPECT_EQ(list.steps_for(at_noise(2), 3 * kWhole + 7), 3u);
}

// Theorem 3, "Prices in between": with t(mu) = 2 Phi(mu / 2) - 1, here in long doubles.
long double share_between(double noise, double less, double more) {
  const auto t = [](long double mu) { return std::erf(mu / (2 * std::sqrt(2.0L))); };
  const long double from = more == 0 ? 0 : t(1.0L / more);
  return (t(1.0L / noise) - from) / (t(1.0L / less) - from);
}

TEST(PriceList, APriceInBetweenIsNotBelowTheMixtureThatDominatesAndHardlyAbove) {
  EXPECT_TRUE(rc::check([] {
    const double noise = *rc::gen::inRange(30, 500) / 100.0;
    const double ratio = 1 + *rc::gen::inRange(1, 300) / 1000.0;
    const bool last = *rc::gen::arbitrary<bool>();
    const Units dear = kWhole, cheap = static_cast<Units>(*rc::gen::inRange(16, 1 << 20));
    std::vector<PricedStep> entries = {{at_noise(noise), dear}};
    if (!last) entries.push_back({at_noise(noise * ratio), cheap});
    const PriceList list(entries, 1, true);
    const double part = *rc::gen::inRange(0, 1001) / 1000.0;
    const double between = last ? noise * (1 + 50 * part) : noise * (1 + (ratio - 1) * part);
    if (!last && between >= noise * ratio) return;
    const Units least = last ? 0 : cheap;
    const long double share = share_between(between, noise, last ? 0 : noise * ratio);
    const long double truth = least + share * static_cast<long double>(dear - least);
    const auto price = static_cast<long double>(list.price(at_noise(between)));
    RC_ASSERT(price >= truth * (1 - 1e-15L));
    RC_ASSERT(price <= dear);
    // exp((mu^2 - from^2) / 8) more at most, and a unit.
    const double mu = 1 / noise, from = last ? 0 : 1 / (noise * ratio);
    const auto more = static_cast<long double>(std::exp((mu * mu - from * from) / 4));
    RC_ASSERT(price <= least + more * share * static_cast<long double>(dear - least) + 2);
    // A person's norm pays no less, but for roundings, and no more than 1 / 1024 more norm does.
    const TightPrice step({.noise = noise, .clip = 3, .rate = 0.01}, list);
    const double norm = 3 * noise / between;
    Units charge = 0;
    step.charges(std::span<const double>(&norm, 1), &charge);
    RC_ASSERT(static_cast<long double>(charge) + 1 >= truth * (1 - 1e-13L));
    const double more_norm = std::max(noise, between / (1 + 0x1p-10));
    RC_ASSERT(charge <= list.price(at_noise(more_norm)) + 2);
  }));
}

TEST(PriceList, OfARuleIsInOrderAndNeverFallsWithTheNorm) {
  EXPECT_TRUE(rc::check([] {
    const double noise = *rc::gen::inRange(60, 400) / 100.0, tilt = *rc::gen::inRange(1, 20);
    const auto per = static_cast<std::uint32_t>(*rc::gen::inRange(1, 17));
    const PriceList list =
        price_list({.step = at_noise(noise, 0.005), .tilt = tilt, .per_doubling = per});
    const auto budget = static_cast<Units>(*rc::gen::inRange(0, 5000)) * kWhole / 7;
    const double ratio = 1 + *rc::gen::inRange(0, 1500) / 100.0;
    RC_ASSERT(list.price(at_noise(ratio * noise, 0.005)) >=
              list.price(at_noise(1.01 * ratio * noise, 0.005)));
    RC_ASSERT(list.steps_for(at_noise(ratio * noise, 0.005), budget) <=
              list.steps_for(at_noise(ratio * noise, 0.005), budget + 1));
    RC_ASSERT(list.steps_for(at_noise(noise, 0.005), budget) == budget / kWhole);
  }));
}

TEST(PriceList, OfARuleEndsWhereNoNoiseIsLarger) {
  const PriceList list = price_list({.step = at_noise(9e6, 1), .tilt = 1});
  EXPECT_LE(double{list.entries().back().step.noise}, 1e8);
  EXPECT_GT(list.entries().size(), 30u);
}

TEST(TightCurrency, IsReadBackAsItWasAndRefusesTermsThatAreNone) {
  const PriceList list = price_list({.step = at_noise(1), .tilt = 4});
  const CurrencyPtr currency =
      tight_currency(list, 1e-5, {{.units = 100 * kWhole, .epsilon = 0.9}});
  std::vector<std::vector<double>> numbers;
  for (const auto& [name, values] : currency->numbers()) numbers.push_back(values);
  EXPECT_TRUE(*tight_currency_from(numbers) == *currency);
  for (const double lines : {0.5, -1.0, std::nan("")}) {
    numbers[0][2] = lines;
    expect_refusal([&] { tight_currency_from(numbers); }, {"prices of a tight filter are wrong"});
  }
}

}  // namespace
}  // namespace ration
