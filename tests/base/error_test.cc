#include "ration/base/error.h"

#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "ration/compose/saddle.h"

namespace ration {
namespace {

// A method that gives up may be replaced by another. Whatever else goes wrong inside it is nobody's
// wide bound: it has to come out.
TEST(OutOfReach, IsTheOnlyThingThatLeadsToAnotherWay) {
  EXPECT_EQ(if_in_reach([] { return 3; }), std::optional(3));
  EXPECT_EQ(if_in_reach([]() -> int { throw OutOfReach("too many nodes"); }), std::nullopt);
  EXPECT_THROW(if_in_reach([]() -> int { throw Error("noise is -1"); }), Error);
  EXPECT_THROW(if_in_reach([]() -> int { throw std::logic_error("a fault"); }), std::logic_error);
  EXPECT_THROW(if_in_reach([]() -> int { throw std::bad_alloc(); }), std::bad_alloc);
}

// Else `catch (const Error&)` would take limits of work for the user's mistakes, or the reverse.
TEST(OutOfReach, IsNoErrorAndNoErrorIsOutOfReach) {
  static_assert(!std::is_base_of_v<Error, OutOfReach> && !std::is_base_of_v<OutOfReach, Error>);
  EXPECT_THROW(refuse("noise", -1, "more"), Error);
  EXPECT_THROW(out_of_reach("grid", 1e-9, "a coarser one"), OutOfReach);
}

TEST(OutOfReach, ATiltBeyondReachCountsAsTooFar) {
  const auto root_at_2_seen_below_3 = [](double z) -> Condition {
    if (z > 3) throw OutOfReach("no moments that far out");
    return {10 * (z - 2), 10};
  };
  EXPECT_NEAR(find_tilt(root_at_2_seen_below_3, 1000), 2, 0.1);
  const auto wrong = [](double) -> Condition { throw Error("noise is -1"); };
  EXPECT_THROW(find_tilt(wrong, 1), Error);
}

}  // namespace
}  // namespace ration
