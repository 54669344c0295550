// What a filter says that its budgets come from, and who may settle with it.

#include "ration/ledger/filter_source.h"

#include <gtest/gtest.h>

#include <functional>

#include "ration/base/error.h"
#include "ration/control/gdp_currency.h"
#include "ration/ledger/ledger.h"
#include "tests/ledger/home.h"

namespace ration::ledger {
namespace {

TEST(FilterSource, IsReadAsItWasWritten) {
  for (const std::string people : {"", "0abc"}) {
    for (const std::string run : {"", "f00d", "the people run twice"}) {
      const FilterSource source = {.grant = "12ef", .people = people, .run = run};
      const FilterSource read = filter_source_in(source.text());
      EXPECT_EQ(read.grant, "12ef");
      EXPECT_EQ(read.people, people);
      EXPECT_EQ(read.run, run);
    }
  }
  EXPECT_EQ(filter_source_in("").grant, "");
}

TEST(FilterSource, ARunMayHaveWordsBeforeItsNameAndIsNoEndOfAnother) {
  const FilterSource source = {.grant = "12ef", .run = "f00d"};
  EXPECT_TRUE(source.is_run("f00d"));
  EXPECT_TRUE(source.is_run("node 7 f00d"));
  EXPECT_FALSE(source.is_run("beeff00d"));
  EXPECT_FALSE(source.is_run("f00d node 7"));
  EXPECT_FALSE(source.is_run(""));
  EXPECT_TRUE(FilterSource{.grant = "12ef"}.is_run("whoever"));
}

// A filter of the grant that was used once, and says where it comes from in these words.
Filter used(const Ledger& ledger, const Grant& grant, const std::string& more) {
  Filter::State state = ledger.filter(grant).state();
  state.source += more;
  Filter filter(std::move(state));
  std::vector<std::uint8_t> mask(2);
  const std::vector<double> norms = {1, 1};
  filter.admit({.noise = 10}, norms, mask);
  return filter;
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FilterSource, OnlyTheRunThatStartedSettlesAndOnlyForAllPeople) {
  Home home(Kept::in_files);
  Ledger ledger = Ledger::create(home.location("ledger"), gdp_currency(), 1e-5,
                                 {.ids = {"ann", "bob"}, .budgets = {.kinds = {MuBudget{1}}}});
  const Grant grant = ledger.grant({.token = "a"});
  const Filter mine = used(ledger, grant, " run mine"), other = used(ledger, grant, " run other"),
               some = used(ledger, grant, " people 0abc run mine");
  ledger.start("a", "node 7 mine");
  EXPECT_EQ(ledger.grant({.token = "a"}).run, "node 7 mine");
  EXPECT_EQ(refusal([&] { ledger.settle(grant, other); }),
            "filter is of another run than the one that has started grant 'a': give the one that "
            "was saved by that run");
  EXPECT_EQ(refusal([&] { ledger.settle(grant, some); }),
            "filter was not made from grant 'a': give the one that was");
  EXPECT_EQ(refusal([&] { ledger.settle(grant, mine); }), "accepted");
  EXPECT_GT(ledger.person("ann").spent.upper, 0);
  ledger.verify();
}

}  // namespace
}  // namespace ration::ledger
