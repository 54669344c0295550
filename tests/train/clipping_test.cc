#include "ration/train/clipping.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace ration::train {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Clipping, WhoIsAtTheClipBoundPaysExactlyIt) {
  const double clip = 0.7872438989061009;
  const Clipping clipping(clip, 0.002 * clip);
  EXPECT_GE(clipping.charge(100), clip);
  EXPECT_LT(clipping.charge(100), clip * (1 + 1e-7));  // counts as the clip bound
  EXPECT_LE(clipping.bound(100), clip - 0.002 * clip);
}

TEST(Clipping, ChargesAreNeverBelowContributionAndSlackNorAboveTheClipBound) {
  rc::check([] {
    const double clip = std::exp(*rc::gen::inRange(-20, 20));
    const double slack = clip * *rc::gen::inRange(1, 1000) * 1e-5;
    const Clipping clipping(clip, slack);
    const auto norm = static_cast<float>(clip * std::exp(*rc::gen::inRange(-1000, 1000) * 1e-2));
    const double charge = clipping.charge(norm);
    RC_ASSERT(charge >= double{clipping.bound(norm)} + slack || charge >= clip);
    RC_ASSERT(double{clipping.bound(norm)} + slack <= clip);
    RC_ASSERT(charge <= clip * (1 + 1e-6));
  });
}

TEST(Clipping, WeightedNormsStayBelowTheirBound) {
  rc::check([] {
    const auto norm = static_cast<float>(std::exp(*rc::gen::inRange(-2000, 2000) * 1e-2));
    const auto bound = static_cast<float>(std::exp(*rc::gen::inRange(-2000, 2000) * 1e-2));
    const double weight = Clipping::weight(norm, bound);
    // Errors are rounded to float32 after weighting: 2^-24 in each entry and so in the norm.
    RC_ASSERT(weight == 1 || weight * norm * (1 + 0x1p-24) <= bound);
    RC_ASSERT(weight <= 1);
    RC_ASSERT(weight * norm >= std::min(norm, bound) * (1 - 2e-6));
  });
}

TEST(Clipping, AGradientThatIsNoNumberContributesNothingAndPaysInFull) {
  const Clipping clipping(1, 0.01);
  for (const float norm : {kInfinity, std::nanf(""), Clipping::kNoNumber}) {
    const float held = Clipping::held(norm);
    EXPECT_TRUE(std::isfinite(held));
    EXPECT_EQ(clipping.bound(held), 0);
    EXPECT_EQ(clipping.charge(held), 1);
    EXPECT_EQ(clipping.charge(norm), 1);
    EXPECT_EQ(Clipping::weight(norm, 1), 0);
  }
}

TEST(Clipping, AGradientOfZeroCostsNothing) {
  const Clipping clipping(1, 0.01);
  EXPECT_EQ(clipping.charge(0), 0);
  EXPECT_GE(clipping.charge_if_summed(0), 0.01);  // unless it takes a place in the sum
  EXPECT_EQ(clipping.charge_if_summed(0.5F), clipping.charge(0.5F));
  EXPECT_EQ(clipping.bound(0), 0);
}

}  // namespace
}  // namespace ration::train
