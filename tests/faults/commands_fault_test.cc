// Every command that writes, with each of its writes, syncs, moves and openings made to fail in
// turn: it ends with status 1 and a sentence, files are the old ones or the new ones whole, and
// nothing else is left. A fault that does no harm may pass.

#include <gtest/gtest.h>

#include "ration/file/npy.h"
#include "tests/cli/small_config.h"
#include "tests/faults/faulty_command.h"

namespace ration {
namespace {

class CommandFaults : public FaultyCommand {
 protected:
  CommandFaults() {
    write_npy<double>(files_.file("norms.npy"), {2, 3},
                      std::vector<double>{0.1, 0.5, 1, 0.2, 0.5, 1});
    files_.put("groups.csv", "a\nb\na\n");
  }

  enum class Old { stays, may_go };

  // `line` replaces what is in `written` now.
  void expect_whole(const std::string& line, std::size_t some, Old old = Old::stays) {
    keep("before");
    const Snapshot before = snapshot();
    const Ended sound = run(line);
    ASSERT_EQ(sound.status, 0) << sound.err;
    ASSERT_FALSE(sound.calls.empty());
    const Snapshot after = snapshot();
    std::size_t noticed = 0;
    for (const Fault& fault : faults(sound.calls, some)) {
      bring_back("before");
      const Ended ended = run(line, fault);
      SCOPED_TRACE(line + "\n" + in_words(fault, ended));
      const Snapshot now = snapshot();
      if (ended.status == 0) {
        EXPECT_TRUE(now == after) << "something is missing";
      } else {
        ++noticed;
        expect_one_sentence(ended);
      }
      for (const auto& [name, text] : now) {
        const auto is = [&](const Snapshot& all) {
          const auto found = all.find(name);
          return found != all.end() && found->second == text;
        };
        EXPECT_TRUE(is(before) || is(after)) << name;
      }
      for (const auto& [name, text] : before) {
        EXPECT_TRUE(now.contains(name) || old == Old::may_go) << name << " is gone";
      }
      if (HasFailure()) return;  // one is enough to look at
    }
    EXPECT_GT(noticed, 0u) << "no fault had any effect";
  }

  const std::string account_ =
      RATION_PROGRAM " account norms.npy --noise 2 --delta 1e-5 --groups groups.csv ";
};

TEST_F(CommandFaults, AccountLeavesEpsilonsWhole) {
  files_.put("written/e.csv", "old");
  expect_whole(account_ + "--out written/e.csv", 30);
}
// As where the file system has no files without names.
TEST_F(CommandFaults, AccountLeavesNoNamedTemporary) {
  files_.put("written/e.csv", "old");
  expect_whole("RATION_FAULT_NAMED=1 " + account_ + "--out written/e.csv", 30);
}
TEST_F(CommandFaults, AccountLeavesNpyAndCurveWhole) {
  files_.put("written/e.npy", "old");
  files_.put("written/c.csv", "old curve");
  expect_whole(account_ + "--out written/e.npy --curve written/c.csv --person 1", 6);
}
TEST_F(CommandFaults, AccountLeavesResultsWhole) {
  expect_whole(account_ + "--results written/results", 16);
}
TEST_F(CommandFaults, AccountWithAFilterLeavesResultsWhole) {
  expect_whole(account_ + "--filter gdp --budget-mu 0.6 --results written/results --follow 1", 16);
}
// What comes through a pipe is kept in a temporary file, which has no name.
TEST_F(CommandFaults, AccountOfAPipeLeavesNoTemporary) {
  files_.put("norms.csv", "person,step,norm\na,0,1\nb,1,0.5\n");
  files_.put("written/e.csv", "old");
  expect_whole("TMPDIR=written sh -c 'exec " RATION_PROGRAM
               " account - --noise 2 --delta 1e-5 --out written/e.csv <norms.csv'",
               30);
}
TEST_F(CommandFaults, ComposeLeavesTheCurveWhole) {
  files_.put("written/c.csv", "old");
  expect_whole(RATION_PROGRAM
               " compose --noise 2 --steps 10 --delta 1e-5 --points 3 --curve written/c.csv",
               30);
}
// The ledger itself is where no fault comes: its own are those of tests/ledger/crash_test.cc. What
// was charged before the file failed is not charged again by asking again.
TEST_F(CommandFaults, LedgerLeavesItsFilesWholeAndChargesOnce) {
  files_.put("people.csv", "id,norm\nann,0.5\nben,2\n");
  const std::string ledger = RATION_PROGRAM " ledger ";
  ASSERT_EQ(run(ledger + "create ward --people people.csv --id id --epsilon 1 --delta 1e-3").status,
            0);
  files_.put("written/file", "old");
  for (const std::string command :
       {"admit ward --token q --norms people.csv --id id --norm norm --noise 20 --out written/file",
        "grant ward --token g --epsilon 0.5 --filter written/file",
        "export ward --out written/file"}) {
    expect_whole(ledger + command, 8);
    files_.put("written/file", "old");
    std::filesystem::remove_all(files_.file("before"));
  }
  const Ended history = run(ledger + "history ward");
  EXPECT_EQ(std::count(history.out.begin(), history.out.end(), '\n'), 4) << history.out;
}
TEST_F(CommandFaults, ReportLeavesThePageWhole) {
  files_.put("small.toml", small_config());
  ASSERT_EQ(run(RATION_PROGRAM " train small.toml --out run").status, 0);
  files_.put("written/page.html", "old");
  expect_whole(RATION_PROGRAM " report run --out written/page.html", 8);
  std::filesystem::remove_all(files_.file("before"));
  expect_whole(RATION_PROGRAM " report run --public --out written/page.html", 4);
}
TEST_F(CommandFaults, ReproduceLeavesFiguresWhole) {
  const std::string line = RATION_PROGRAM " reproduce gdp-vs-rdp --quick --out written/paper";
  ASSERT_EQ(run(line).status, 0);
  files_.put("written/paper/gdp-vs-rdp-delta.csv", "old");
  expect_whole(line, 8, Old::may_go);
}

}  // namespace
}  // namespace ration
