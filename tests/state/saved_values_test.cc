// A right checksum does not make a state possible: values that no steps lead to are refused.

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "ration/state/saved.h"
#include "ration/state/state_file.h"
#include "tests/file/scratch.h"

namespace ration {
namespace {

using Doubles = std::vector<double>;
using U64s = std::vector<std::uint64_t>;
using U32s = std::vector<std::uint32_t>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Writes a file of the kind and says how loading it is refused.
template <class Saved>
std::string refused(std::string_view kind, const std::function<void(StateWriter&)>& fill) {
  const Scratch scratch;
  StateWriter writer(kind);
  fill(writer);
  writer.write(scratch.file("s"));
  return refusal(scratch, [&] { load<Saved>(scratch.file("s")); });
}
const std::string kHolds = "s holds what no steps lead to: ";

TEST(SavedValues, OfAGdpFilter) {
  const auto load_with = [](Units budget, Units spent) {
    return refused<Filter>("gdp-filter", [&](StateWriter& w) {
      w.add_value("budget", budget);
      w.add_value("spent", spent);
      w.add_value("steps", std::uint64_t{1});
    });
  };
  EXPECT_EQ(load_with(4, 4), "accepted");
  EXPECT_EQ(load_with(4, 5),
            kHolds + "state of a filter is wrong: more is spent than the budget allows");
  EXPECT_NE(load_with(kMostUnits, 4), "accepted");
}

TEST(SavedValues, OfAnIndividualGdpFilter) {
  const auto load_with = [](const U64s& budgets, const U64s& spent) {
    return refused<Filter>("individual-gdp-filter", [&](StateWriter& w) {
      w.add("budgets", budgets);
      w.add("spent", spent);
      w.add_value("steps", std::uint64_t{1});
    });
  };
  EXPECT_EQ(load_with({4}, {1, 4}), "accepted");
  EXPECT_EQ(load_with({4, 5}, {1, 5}), "accepted");
  EXPECT_EQ(load_with({4, 5}, {5, 5}), kHolds +
                                           "state of a filter is wrong: person 0 has spent more "
                                           "than their budget allows");
  EXPECT_EQ(load_with({4, 5}, {1, 2, 3}),
            kHolds + "state of a filter is wrong: 3 people and 2 budgets");
  EXPECT_NE(load_with({}, {}), "accepted") << "a budget of nobody";
  EXPECT_NE(load_with({kMostUnits}, {}), "accepted") << "a budget that limits nothing";
}

TEST(SavedValues, OfARenyiFilter) {
  const auto load_with = [](const Doubles& orders, const U64s& budget, const U64s& spent) {
    return refused<Filter>("renyi-filter", [&](StateWriter& w) {
      w.add("orders", orders);
      w.add("budget", budget);
      w.add("spent", spent);
      w.add_value("steps", std::uint64_t{1});
    });
  };
  EXPECT_EQ(load_with({2, 3}, {4, kMostUnits}, {4, 9}), "accepted");
  EXPECT_NE(load_with({2, 3}, {4, 6}, {4, 7}), "accepted");
  EXPECT_NE(load_with({2, 3}, {4, 6}, {0, 6}), "accepted") << "free at one order alone";
  EXPECT_NE(load_with({2}, {kMostUnits}, {4}), "accepted") << "a budget that limits nothing";
  EXPECT_EQ(load_with({3, 2}, {4, 6}, {1, 1}),
            kHolds + "order 2 follows 3: give orders that increase");
  EXPECT_EQ(load_with({kNaN}, {4}, {1}),
            kHolds + "order is nan: give a number from 1.000001 to 1e6");
  EXPECT_EQ(load_with({}, {}, {}), kHolds + "orders are missing: give at least one");
  EXPECT_EQ(load_with({2, 3}, {4}, {1, 1}), "budget in s is 1 long: give 2");
}

TEST(SavedValues, OfAnIndividualRenyiFilter) {
  const auto load_with = [](const U64s& budgets, const U32s& kind_of, const U64s& spent) {
    const Doubles orders = {2, 3};
    return refused<Filter>("individual-renyi-filter", [&](StateWriter& w) {
      w.add("orders", orders);
      w.add("budgets", budgets);
      w.add("kind-of", kind_of);
      w.add("spent", spent);
      w.add_value("steps", std::uint64_t{1});
    });
  };
  const std::string unlike = kHolds + "state of a filter is wrong: its lists do not fit each other";
  EXPECT_EQ(load_with({4, 6}, {}, {4, 6, 0, 0}), "accepted");
  EXPECT_EQ(load_with({4, 6, 1, 1}, {0, 1}, {4, 6, 1, 1}), "accepted");
  EXPECT_NE(load_with({4, 6, 1, 1}, {1, 0}, {4, 6, 1, 1}), "accepted") << "above the budget";
  EXPECT_EQ(load_with({4, 6, 1, 1}, {}, {4, 6}), unlike) << "two kinds, and nobody's kind";
  EXPECT_EQ(load_with({4, 6}, {0}, {4, 6, 1, 1}), unlike);
  EXPECT_EQ(load_with({4, 6}, {0, 1}, {4, 6, 1, 1}), unlike);
  EXPECT_EQ(load_with({4, 6, 1}, {}, {4, 6}), unlike);
  EXPECT_EQ(load_with({4, 6}, {}, {4, 6, 1}), unlike);
  EXPECT_EQ(load_with({4, 6, kMostUnits, kMostUnits}, {0}, {4, 6}),
            kHolds + "state of a filter is wrong: a budget is larger than any can be");
  EXPECT_EQ(load_with({}, {}, {}), unlike);
}

TEST(SavedValues, OfOdometers) {
  const auto load_with = [](const U64s& levels, std::uint8_t repeats, const U64s& spent) {
    const Doubles orders = {2, 3};
    return refused<Odometer>("individual-renyi-odometer", [&](StateWriter& w) {
      w.add("orders", orders);
      w.add("levels", levels);
      w.add_value("repeats", repeats);
      w.add("spent", spent);
      w.add_value("steps", std::uint64_t{1});
    });
  };
  EXPECT_EQ(load_with({4, 6, 4, 7}, 0, {1, 2, 0, 0}), "accepted");
  EXPECT_EQ(load_with({4, 6}, 1, {}), "accepted");
  EXPECT_NE(load_with({4, 6}, 2, {1, 2}), "accepted");
  EXPECT_NE(load_with({4, 6, 4, 7}, 1, {1, 2}), "accepted");
  EXPECT_NE(load_with({4, 6, 4}, 0, {1, 2}), "accepted");
  EXPECT_NE(load_with({}, 0, {1, 2}), "accepted");
  EXPECT_NE(load_with({4, 7, 4, 6}, 0, {1, 2}), "accepted") << "levels that fall";
  EXPECT_NE(load_with({4, 0}, 1, {1, 2}), "accepted") << "levels that do not rise";
  EXPECT_NE(load_with({4, 6}, 1, {1, 2, 3}), "accepted");
  EXPECT_NE(load_with({4, 6}, 1, {1, 0}), "accepted") << "free at one order alone";
}

TEST(SavedValues, OfAccounts) {
  struct Values {
    Doubles edges = {1, 2};
    std::uint64_t steps = 3;
    Doubles rates = {0.5};
    U32s counts = {1, 1, 0, 0};     // two people, two buckets
    U64s unsampled = {5, 1, 6, 3};  // totals and charges of two people
    std::vector<std::uint8_t> known = {1};
    U64s shares = {4096, 0, 0, 0};
  };
  const auto load_with = [](const Values& v) {
    return refused<Accounts>("accounts", [&](StateWriter& w) {
      w.add("edges", v.edges);
      w.add_value("steps", v.steps);
      w.add("rates", v.rates);
      w.add("counts", v.counts);
      w.add("unsampled", v.unsampled);
      w.add("shares-known", v.known);
      w.add("shares", v.shares);
    });
  };
  EXPECT_EQ(load_with({}), "accepted");
  EXPECT_EQ(load_with({.known = {0}, .shares = {}}), "accepted");
  EXPECT_NE(load_with({.known = {2}}), "accepted");
  EXPECT_NE(load_with({.known = {1, 1}}), "accepted");
  EXPECT_NE(load_with({.known = {0}}), "accepted");
  EXPECT_EQ(load_with({.shares = {1, 1, 0}}), kHolds + "shares are not rates x people x buckets");
  EXPECT_NE(load_with({.shares = {4097, 0, 0, 0}}), "accepted") << "more than the whole bucket";
  EXPECT_NE(load_with({.shares = {0, 0, 1, 0}}), "accepted") << "of no step";
  EXPECT_EQ(load_with({.edges = {2, 1}}),
            kHolds + "edge of a bucket is 1: give edges that increase");
  EXPECT_NE(load_with({.edges = {1, kNaN}}), "accepted");
  EXPECT_NE(load_with({.edges = {}, .counts = {}, .shares = {}}), "accepted");
  EXPECT_NE(load_with({.steps = 2}), "accepted") << "more charges than steps";
  EXPECT_NE(load_with({.steps = std::uint64_t{1} << 32}), "accepted");
  EXPECT_NE(load_with({.rates = {1}}), "accepted");
  EXPECT_NE(load_with({.rates = {kNaN}}), "accepted");
  EXPECT_NE(load_with({.rates = {0.5, 0.5},
                       .counts = {0, 0, 0, 0, 0, 0, 0, 0},
                       .known = {1, 1},
                       .shares = U64s(8)}),
            "accepted");
  EXPECT_EQ(load_with({.counts = {1, 1, 0}}), kHolds + "counts are not rates x people x buckets");
  EXPECT_EQ(load_with({.rates = {}, .known = {}, .shares = {}}),
            kHolds + "counts are not rates x people x buckets");
  EXPECT_NE(load_with({.unsampled = {5, 1, 6, 3, 1}}), "accepted");
  EXPECT_NE(load_with({.unsampled = {2, 3, 6, 3}}), "accepted") << "less than a unit each";
  EXPECT_NE(load_with({.rates = {}, .counts = {}, .unsampled = {}, .known = {}, .shares = {}}),
            "accepted")
      << "nobody";
}

TEST(SavedValues, AnUnknownSectionIsRefused) {
  EXPECT_EQ(refused<Filter>("gdp-filter",
                            [&](StateWriter& w) {
                              for (const char* name : {"budget", "spent", "steps", "reserve"})
                                w.add_value(name, std::uint64_t{1});
                            }),
            "s is a gdp-filter with reserve, which is unknown here: give a file of this release, "
            "or use the release of Ration that wrote it");
}

}  // namespace
}  // namespace ration
