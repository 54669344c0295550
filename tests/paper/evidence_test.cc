#include "paper/evidence.h"

#include <gtest/gtest.h>

namespace ration::paper {
namespace {

constexpr Estimate kRise = {.value = 0.2, .low = 0.1, .high = 0.3};
constexpr Estimate kFall = {.value = -0.2, .low = -0.3, .high = -0.1};
constexpr Estimate kUnclear = {.value = 0.2, .low = -0.1, .high = 0.5};

Evidence rises(const Estimate& number, std::size_t run = 1) {
  return {.what = "change", .number = number, .above = 0, .run = run};
}

TEST(Evidence, AgreesIfAllOfTheIntervalIsWithinTheLimits) {
  EXPECT_TRUE(agrees(rises(kRise)));
  EXPECT_FALSE(agrees(rises(kUnclear)));
  EXPECT_FALSE(agrees(rises(kFall)));
  EXPECT_FALSE(agrees(rises(known(0))));  // on the limit is not above it
  EXPECT_TRUE(agrees({.what = "", .number = kRise, .above = 0, .below = 0.31}));
  EXPECT_FALSE(agrees({.what = "", .number = kRise, .above = 0, .below = 0.3}));
  EXPECT_TRUE(agrees({.what = "no limit", .number = kFall}));
}

TEST(Evidence, ContradictsIfAllOfTheIntervalIsBeyondALimit) {
  EXPECT_TRUE(contradicts(rises(kFall)));
  EXPECT_TRUE(contradicts(rises(known(0))));
  EXPECT_FALSE(contradicts(rises(kUnclear)));
  EXPECT_TRUE(contradicts({.what = "", .number = kRise, .above = 0, .below = 0.1}));
  EXPECT_FALSE(contradicts({.what = "", .number = kRise, .above = 0, .below = 0.2}));
}

TEST(Evidence, ARunAgreesIfAllOfItsNumbersDoAndAMajorityOfRunsDecides) {
  const std::vector<Evidence> two_of_three = {rises(kRise, 1), rises(kRise, 1), rises(kRise, 2),
                                              rises(kFall, 2), rises(kRise, 3)};
  const Tally found = tally(two_of_three);
  EXPECT_EQ(found.runs, 3U);
  EXPECT_EQ(found.agreeing, 2U);
  EXPECT_EQ(found.contradicting, 1U);
  const Claim claim = judged("It rises.", "So it is.", two_of_three);
  EXPECT_TRUE(claim.held);
  EXPECT_EQ(claim.finding,
            "So it is. The claim held in 2 of 3 runs with fresh noise and was contradicted in 1; "
            "a majority decides.");
  EXPECT_EQ(claim.evidence.size(), 5U);
  EXPECT_FALSE(judged("", "", {rises(kRise, 1), rises(kFall, 2)}).held);  // half is no majority
}

TEST(Evidence, WhatIsNeitherHeldNorContradictedIsNotResolved) {
  const auto finding = [](std::vector<Evidence> evidence) {
    const Claim claim = judged("", "Here.", std::move(evidence));
    EXPECT_FALSE(claim.held);
    return claim.finding;
  };
  EXPECT_EQ(finding({rises(kFall)}), "Here.");
  EXPECT_NE(finding({rises(kUnclear)}).find("Not resolved"), std::string::npos);
  EXPECT_NE(finding({rises(kRise, 1), rises(kFall, 2)}).find("Not resolved"), std::string::npos);
  EXPECT_EQ(finding({rises(kUnclear), rises(kFall)}), "Here.");
  EXPECT_EQ(judged("", "Here.", {rises(kRise)}).finding, "Here.");
}

TEST(Evidence, WithoutAnyNothingHolds) { EXPECT_FALSE(judged("", "", {}).held); }

}  // namespace
}  // namespace ration::paper
