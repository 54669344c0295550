// Clocks that jump, of clients one by one: a ledger's order is that of its links, whatever the time
// of day.

#include <gtest/gtest.h>

#include "ration/control/gdp_currency.h"
#include "ration/ledger/ledger.h"
#include "tests/faults/faulty_command.h"
#include "tests/ledger/home.h"

namespace ration {
namespace {

class JumpingClock : public FaultyCommand, public testing::WithParamInterface<ledger::Kept> {
 protected:
  void SetUp() override { ledger::need(GetParam()); }
  // With a clock that is ahead by so many days, or behind.
  Ended at(int days, const std::string& arguments) {
    return run("RATION_CLOCK_JUMP=" + std::to_string(days * 86400L) +
               " " RATION_PROGRAM " ledger " + arguments);
  }
  ledger::Home home_{GetParam()};
};
RATION_IN_ALL_HOMES(JumpingClock);

TEST_P(JumpingClock, ChangesNothingThatIsCharged) {
  const std::string location = home_.location("ledger"), quoted = "'" + location + "'";
  Ledger::create(location, gdp_currency(), 1e-5,
                 {.ids = {"ann", "bob"}, .budgets = {.kinds = {MuBudget{1}}}});
  const std::string grant = "grant " + quoted + " --token a --mu 0.5";
  ASSERT_EQ(at(4000, grant).status, 0);
  ASSERT_EQ(at(-4000, grant).status, 0);  // the same answer once more
  ASSERT_EQ(at(-4000, "start " + quoted + " --token a --run one").status, 0);
  ASSERT_EQ(at(-9000, "settle " + quoted + " --token a --everything").status, 0);
  ASSERT_EQ(at(0, "grant " + quoted + " --token b --all").status, 0);
  const Ended verified = at(-1, "verify " + quoted);
  EXPECT_EQ(verified.status, 0) << verified.err;

  Ledger ledger = Ledger::open(location);
  const auto history = ledger.history();
  ASSERT_EQ(history.size(), 6u);
  EXPECT_GT(history[2].time, "2035") << "the clock did not jump";
  EXPECT_GT(history[2].time, history[3].time);
  EXPECT_GT(history[3].time, history[4].time);
  EXPECT_EQ(ledger.count_grants(), 2u);
  const ledger::Person ann = ledger.person("ann");
  EXPECT_EQ(ann.left, exactly(0));
  EXPECT_LT(ann.spent.upper, ann.reserved.lower);  // a quarter of mu^2, and three
}

}  // namespace
}  // namespace ration
