#include "ration/mechanism/mechanism.h"

#include <gtest/gtest.h>

#include "ration/base/error.h"
#include "tests/refusal.h"

namespace ration {
namespace {

std::string refusal(const std::vector<double>& with, const std::vector<double>& without) {
  return ration::refusal([&] { DiscretePair(with, without); });
}

TEST(DiscretePair, KeepsWhatItIsGiven) {
  const DiscretePair pair({0.25, 0.75}, {0.5, 0.5});
  EXPECT_EQ(pair.with(), (std::vector{0.25, 0.75}));
  EXPECT_EQ(pair.without(), (std::vector{0.5, 0.5}));
}

TEST(DiscretePair, RefusesNamingTheRow) {
  EXPECT_EQ(refusal({0.5, -0.1, 0.6}, {0.5, 0.3, 0.2}),
            "probability with, row 2 is -0.1: give a number from 0 to 1");
  EXPECT_EQ(refusal({0.5, 0.5}, {0.5, 1.5}),
            "probability without, row 2 is 1.5: give a number from 0 to 1");
  EXPECT_EQ(refusal({0.5, 0.5, 0}, {0.5, 0.5}),
            "row 3 of the pair is given for one distribution only: give as many probabilities "
            "without the person as with");
  EXPECT_EQ(refusal({}, {}), "pair is empty: give at least one row of two probabilities");
  EXPECT_NE(refusal({0.5, 0.5}, {0.5, NAN}), "accepted");
}

TEST(DiscretePair, TakesASumWithin1e12Only) {
  EXPECT_EQ(refusal({0.5, 0.5 + 0.9e-12}, {0.5, 0.5}), "accepted");
  EXPECT_EQ(refusal({0.5, 0.5}, {0.5, 0.5 - 2e-12}),
            "sum of the probabilities without, rows 1 to 2 is 0.999999999998: give probabilities "
            "that sum to 1 within 1e-12");
  EXPECT_EQ(refusal(std::vector<double>(1'000'000, 1e-6), std::vector<double>(1'000'000, 1e-6)),
            "accepted");
}

TEST(RandomisedResponse, RefusesCertainTruthAndOneAnswer) {
  EXPECT_THROW(static_cast<void>(RandomisedResponse{.truth = 1}), Error);
  EXPECT_THROW(static_cast<void>(RandomisedResponse{.truth = 0.5, .options = 1}), Error);
}

}  // namespace
}  // namespace ration
