#include "ration/control/price_list.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "tests/refusal.h"

namespace ration {
namespace {

SubsampledGaussian at_noise(double noise, double rate = 0.01) {
  return {.noise = noise, .rate = rate};
}

TEST(PriceList, RefusesTicketsThatAreNotInOrder) {
  const Ticket lot{.step = at_noise(1), .units = 2, .steps = 1};
  expect_refusal([&] { PriceList({}, 0); }, {"price list"});
  expect_refusal([&] { PriceList({lot, {at_noise(1), 1, 1}}, 0); }, {"ticket", "more noise"});
  expect_refusal([&] { PriceList({lot, {at_noise(2), 3, 1}}, 0); }, {"ticket", "price"});
  expect_refusal([&] { PriceList({lot, {at_noise(2, 0.02), 1, 1}}, 0); }, {"ticket", "rate"});
  expect_refusal([&] { PriceList({lot, {at_noise(2), 0, 1}}, 0); }, {"units", "256"});
  expect_refusal([&] { PriceList({lot, {at_noise(2), 5, 9}}, 2); }, {"last lots", "every ticket"});
}

TEST(PriceList, RoundsNoiseDownToATicketAndRefusesLessThanTheLots) {
  const PriceList list({{at_noise(1), 4, 1}, {at_noise(2), 1, 1}, {at_noise(4), 1, 5}}, 0);
  EXPECT_EQ(list.ticket_for(at_noise(1)), 0u);
  EXPECT_EQ(list.ticket_for(at_noise(1.999)), 0u);
  EXPECT_EQ(list.ticket_for(at_noise(2)), 1u);
  EXPECT_EQ(list.ticket_for(at_noise(100)), 2u);
  expect_refusal([&] { list.ticket_for(at_noise(0.999)); }, {"noise", "at least 1"});
}

TEST(PriceList, NeverPaysForALargerRateThanATicketHas) {
  const PriceList list({{at_noise(1, 0.02), 4, 1}, {at_noise(2, 0.01), 1, 1}}, 0);
  EXPECT_EQ(list.ticket_for(at_noise(3, 0.01)), 1u);
  EXPECT_EQ(list.ticket_for(at_noise(3, 0.015)), 0u);
  expect_refusal([&] { list.ticket_for(at_noise(3, 0.021)); }, {"rate", "at most 0.02"});
}

TEST(PriceList, NearTheEndEveryStepCostsALot) {
  // 2 units a lot, 3 lots are the end: 10 units are 5 tickets of 3 steps, the last one bought with
  // 6 units left, and 5 units that are 2 steps.
  const PriceList list({{at_noise(1), 2, 1}, {at_noise(2), 1, 3}}, 3);
  EXPECT_EQ(list.near_the_end(), 6u);
  EXPECT_EQ(list.steps_for(at_noise(2), 10), 17u);
  EXPECT_EQ(list.steps_for(at_noise(1), 10), 5u);
  EXPECT_EQ(list.steps_for(at_noise(2), 5), 2u);
}

TEST(PriceList, OfARuleIsInOrderAndNeverCheaperThanItsMoment) {
  EXPECT_TRUE(rc::check([] {
    const double noise = *rc::gen::inRange(60, 400) / 100.0, tilt = *rc::gen::inRange(1, 20);
    const auto per = static_cast<std::uint32_t>(*rc::gen::inRange(1, 17));
    const auto units = static_cast<std::uint32_t>(*rc::gen::inRange(1, 9));
    const PriceRule rule{.step = at_noise(noise, 0.005),
                         .tilt = tilt,
                         .lot_units = units,
                         .tickets_per_doubling = per};
    const PriceList list = price_list(rule);  // the constructor checks the order
    RC_ASSERT(list.lot().units == units);
    // More units never buy fewer steps, and more noise never buys fewer.
    const auto budget = static_cast<std::uint64_t>(*rc::gen::inRange(0, 5000));
    const double ratio = 1 + *rc::gen::inRange(0, 1500) / 100.0;
    RC_ASSERT(list.steps_for(at_noise(ratio * noise, 0.005), budget) <=
              list.steps_for(at_noise(ratio * noise, 0.005), budget + 1));
    RC_ASSERT(list.steps_for(at_noise(noise, 0.005), budget) == budget / units);
  }));
}

}  // namespace
}  // namespace ration
