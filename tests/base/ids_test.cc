#include "ration/base/ids.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/refusal.h"

namespace ration {
namespace {

using Texts = std::vector<std::string>;

TEST(Ids, AreFoundByTheirText) {
  const Ids ids(Texts{"P-17", "a,\"b\"", "Zo\xC3\xAB", "7", "07"});
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids.find(ids[i]), i);
  EXPECT_EQ(ids.find("P-1"), std::nullopt);
  EXPECT_EQ(ids.find(""), std::nullopt);
  EXPECT_TRUE(Ids().empty());
  EXPECT_EQ(Ids().find("7"), std::nullopt);
}

TEST(Ids, RefusalsNamePositionsAndNoId) {
  const auto refused = [](const Texts& ids) { return refusal([&] { const Ids made(ids); }); };
  EXPECT_EQ(refused({"b", "secret", "c", "secret"}),
            "ids at positions 1 and 3 (from 0) are the same: give each person once");
  EXPECT_EQ(refused({"a", ""}), "id at position 1 (from 0) is empty: give everybody an id");
  EXPECT_EQ(refused({" a"}),
            "id at position 0 (from 0) has blanks around it: one person would have two ids");
  EXPECT_EQ(refused({"a\nb"}),
            "id at position 0 (from 0) has a line break or another control character in it: give "
            "ids as plain text");
  EXPECT_EQ(refused({"\xFF"}), "id at position 0 (from 0) is no UTF-8: give ids as text in UTF-8");
  EXPECT_EQ(refused({std::string(1001, 'a')}),
            "id at position 0 (from 0) is longer than 1000 bytes: give a shorter id");
  EXPECT_EQ(refused({std::string(1000, 'a')}), "accepted");
}

RC_GTEST_PROP(Ids, AreInTheOrderOfTheirBytes, (const std::vector<std::string>& ids)) {
  const auto order = order_of_ids(ids);
  for (std::size_t i = 1; i < order.size(); ++i) RC_ASSERT(ids[order[i - 1]] <= ids[order[i]]);
  const std::set<std::string> distinct(ids.begin(), ids.end());
  RC_ASSERT(repeated_id(ids, order).has_value() == (distinct.size() < ids.size()));
}

}  // namespace
}  // namespace ration
