#include "ration/train/places.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/refusal.h"

namespace ration {
namespace {

TEST(Places, ArePersonModuloBlock) {
  const std::vector<std::uint32_t> drawn = {1, 4, 5, 7, 9};
  EXPECT_EQ(places(drawn, 4), (std::vector<std::uint32_t>{4, 1, kNobody, 7,              //
                                                          kNobody, 5, kNobody, kNobody,  //
                                                          kNobody, 9, kNobody, kNobody}));
  EXPECT_TRUE(places({}, 4).empty());
  EXPECT_NE(refusal([&] { places(drawn, 0); }), "accepted");
}

RC_GTEST_PROP(Places, HoldEverybodyOnceAndKeepTheirRowWhoeverElseIsDrawn, ()) {
  const auto block = *rc::gen::inRange<std::size_t>(1, 20);
  const auto some = *rc::gen::nonEmpty(
      rc::gen::container<std::set<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 300)));
  std::vector<std::uint32_t> drawn(some.begin(), some.end());
  const auto rows = places(drawn, block);
  RC_ASSERT(rows.size() % block == 0);
  std::vector<std::uint32_t> found;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (rows[at] == kNobody) continue;
    RC_ASSERT(rows[at] % block == at % block);
    found.push_back(rows[at]);
  }
  std::sort(found.begin(), found.end());
  RC_ASSERT(found == drawn);
  // No block more than the fullest row needs.
  std::vector<std::size_t> load(block);
  for (const std::uint32_t person : drawn) ++load[person % block];
  RC_ASSERT(rows.size() / block == *std::max_element(load.begin(), load.end()));
}

}  // namespace
}  // namespace ration
