#include "ration/base/values.h"
#include "tests/refusal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace ration {
namespace {

TEST(Values, RefusalsNameArgumentValueAndWhatIsAccepted) {
  EXPECT_EQ(refusal([] { Noise(-1); }), "noise is -1: give a number from 0.0001 to 1e8");
  EXPECT_EQ(refusal([] { Delta(0); }), "delta is 0: give a probability from 1e-300 to 1");
  EXPECT_EQ(refusal([] { Rate(1.5); }), "rate is 1.5: give a probability from 1e-12 to 1");
  EXPECT_EQ(refusal([] { Steps(2.5); }), "steps is 2.5: give a whole number from 1 to 1e15");
}

TEST(Values, NanAndInfinityAreNeverValid) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const double x : {nan, infinity, -infinity}) {
    EXPECT_THROW(Epsilon{x}, Error);
    EXPECT_THROW(AnyEpsilon{x}, Error);
    EXPECT_THROW(Delta{x}, Error);
    EXPECT_THROW(Mu{x}, Error);
    EXPECT_THROW(Noise{x}, Error);
    EXPECT_THROW(Rate{x}, Error);
    EXPECT_THROW(Order{x}, Error);
    EXPECT_THROW(FalsePositiveRate{x}, Error);
    EXPECT_THROW(Steps{x}, Error);
  }
}

TEST(Values, EndsOfTheRangesAreValid) {
  EXPECT_EQ(Delta(1e-300), 1e-300);
  EXPECT_EQ(Delta(1), 1);
  EXPECT_EQ(Mu(0), 0);
  EXPECT_EQ(Rate(1), 1);
  EXPECT_EQ(Steps(1e15), 1e15);
  EXPECT_THROW(Mu(1e-301), Error);
  EXPECT_THROW(Steps(1e15 + 1), Error);
}

}  // namespace
}  // namespace ration
