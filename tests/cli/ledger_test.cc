// `ration ledger` as its users see it.

#include "ration/control/filter.h"
#include "ration/state/saved.h"
#include "tests/cli/command.h"

namespace ration {
namespace {

class LedgerCommand : public CommandTest {
 protected:
  LedgerCommand() : CommandTest("ledger") {
    files_.put("people.csv", "patient,norm\nA-1,0.9\nA-2,0.4\n\"B, 3\",2\n");
  }
  void create(const std::string& options = "--epsilon 3 --delta 1e-5") {
    const Ended o = run("create ledger --people people.csv --id patient " + options);
    ASSERT_EQ(o.status, 0) << o.err;
  }
  Bound of(const std::string& id, const std::string& what) {
    return bound(answer("person ledger '" + id + "'")[what]);
  }
  std::string head() { return answer("show ledger")["head"]; }
};

TEST_F(LedgerCommand, ShowsNothingPrivate) {
  create();
  const auto j = answer("show ledger");
  EXPECT_EQ(j.size(), 4u);
  EXPECT_EQ(j["people"], 3);
  EXPECT_EQ(j["currency"], "gdp");
  EXPECT_EQ(j["grants"], 0);
  EXPECT_EQ(j["head"].get<std::string>().size(), 64u);
  EXPECT_EQ(mode("ledger"), 0600u);
}

TEST_F(LedgerCommand, TellsAPersonsBudget) {
  create();
  const auto j = answer("person ledger 'B, 3'");
  EXPECT_EQ(j.size(), 5u);
  EXPECT_EQ(j["id"], "B, 3");
  EXPECT_NEAR(bound(j["budget"]).upper, 3, 1e-9);
  EXPECT_LE(bound(j["budget"]).lower, 3);
  EXPECT_EQ(bound(j["left"]), bound(j["budget"]));
  EXPECT_EQ(bound(j["spent"]), exactly(0));
  EXPECT_EQ(bound(j["reserved"]), exactly(0));
}

TEST_F(LedgerCommand, AGrantIsReservedStartedAndSettled) {
  create();
  ASSERT_EQ(run("grant ledger --token t --epsilon 1 --filter run.filter").status, 0);
  EXPECT_EQ(mode("run.filter"), 0600u);
  EXPECT_NEAR(of("A-1", "reserved").upper, 1, 1e-9);
  ASSERT_EQ(run("start ledger --token t --run one").status, 0);
  expect_refused("start ledger --token t --run one", "was started meanwhile");
  auto filter = load<Filter>(files_.file("run.filter"));
  std::vector<std::uint8_t> mask(3);
  filter.admit({.noise = 10}, std::vector<double>{0, 0.5, 1}, mask);
  save(files_.file("run.filter"), filter);
  ASSERT_EQ(run("settle ledger --token t --filter run.filter").status, 0);
  EXPECT_EQ(of("A-1", "spent"), exactly(0));
  EXPECT_GT(of("B, 3", "spent").lower, of("A-2", "spent").upper);
  EXPECT_EQ(of("B, 3", "reserved"), exactly(0));
  EXPECT_EQ(answer("grants ledger")[0]["status"], "settled");
  EXPECT_EQ(answer("history ledger").size(), 5u);
  EXPECT_EQ(answer("verify ledger")["head"], head());
}

TEST_F(LedgerCommand, AQueryIsAnsweredOnceAndAgain) {
  create("--mu 0.5 --delta 1e-5");
  const std::string ask =
      "admit ledger --token q --norms people.csv --id patient --norm norm --noise 1.3 --out ";
  ASSERT_EQ(run(ask + "one.csv").status, 0);
  const std::string after = head();
  ASSERT_EQ(run(ask + "two.csv").status, 0);
  EXPECT_EQ(lines("one.csv"),
            (std::vector<std::string>{"id,takes_part", "A-1,0", "A-2,1", "\"B, 3\",0"}));
  EXPECT_EQ(lines("two.csv"), lines("one.csv"));
  EXPECT_EQ(mode("one.csv"), 0600u);
  EXPECT_EQ(head(), after);
  expect_refused(
      "admit ledger --token q --norms people.csv --id patient --norm norm --noise 1.4 "
      "--out x.csv",
      "token 'q' was used before for another request");
  EXPECT_EQ(head(), after);
}

TEST_F(LedgerCommand, TakesAllThatIsLeftOnlyIfAsked) {
  create();
  expect_refused("grant ledger --token t", "give one of --epsilon, --mu and --all");
  expect_refused("grant ledger --token t --all --mu 1", "give one of --epsilon, --mu and --all");
  expect_refused("grant ledger --token t --all --filter ledger-journal", "would overwrite");
  EXPECT_EQ(run("grant ledger --token t --all").status, 0);
}

TEST_F(LedgerCommand, AnOldCopyLacksAHeadThatWasSeen) {
  create();
  std::filesystem::copy_file(files_.file("ledger"), files_.file("backup"));
  ASSERT_EQ(run("grant ledger --token t --all").status, 0);
  EXPECT_EQ(run("verify ledger --seen " + head()).status, 0);
  EXPECT_EQ(run("verify backup").status, 0);
  expect_refused("verify backup --seen " + head(), "has never had this head");
  expect_refused("verify backup --seen 12", "head is '12': give the 64 digits");
}

TEST_F(LedgerCommand, ExportsEverybodyForTheOwner) {
  create("--epsilon-column norm --delta 1e-5 --currency gdp");
  ASSERT_EQ(run("export ledger --out all.csv").status, 0);
  EXPECT_EQ(mode("all.csv"), 0600u);
  ASSERT_EQ(lines("all.csv").size(), 4u);
  EXPECT_EQ(lines("all.csv")[0], "id,budget,spent,reserved,left");
  EXPECT_EQ(lines("all.csv")[3].substr(0, 9), "\"B, 3\",2,");
}

TEST_F(LedgerCommand, IdsOfAnyTextTravel) {
  files_.put("people.csv", "patient\n\"say \"\"hi\"\", twice\"\nM\u00fcller 7\n007\n");
  create();
  EXPECT_EQ(answer("person ledger 'say \"hi\", twice'")["id"], "say \"hi\", twice");
  EXPECT_EQ(answer("person ledger 007")["id"], "007");
  ASSERT_EQ(run("export ledger --out all.csv").status, 0);
  ASSERT_EQ(run("create again --people all.csv --id id --epsilon 1 --delta 1e-5").status, 0);
  EXPECT_EQ(answer("person again 'M\u00fcller 7'")["id"], "M\u00fcller 7");
  EXPECT_EQ(run("person again 'say \"hi\", twice'").status, 0);
}

TEST_F(LedgerCommand, BadInputIsRefusedInOneSentenceAndChargesNothing) {
  create();
  const std::string before = head();
  expect_refused("person ledger zoe", "id is not in the ledger");
  expect_refused("show people.csv", "give a file that ration ledger create has made");
  expect_refused("show nothing", "give a file that ration ledger create has made");
  expect_refused("create ledger --people people.csv --id patient --epsilon 3 --delta 1e-5",
                 "exists already");
  expect_refused("create two --people people.csv --id name --epsilon 3 --delta 1e-5",
                 "has no column 'name'");
  expect_refused("create two --people people.csv --id patient --delta 1e-5", "budgets are missing");
  expect_refused("create two --people people.csv --id patient --epsilon 3", "--delta is missing");
  expect_refused(
      "create two --people people.csv --id patient --epsilon 3 --delta 1e-5 --currency pld",
      "--currency is pld");
  expect_refused("add ledger --people people.csv --id patient --epsilon 3",
                 "in the ledger already");
  expect_refused("grant ledger --token t --epsilon 1 --filter ledger", "--filter would overwrite");
  expect_refused("settle ledger --token t --everything", "is not that of a grant");
  expect_refused("settle ledger --token t", "give one of them");
  expect_refused("verfy ledger", "command is 'verfy': give verify");
  expect_refused("show ledger --jsn",
                 "--jsn is no option of ration ledger show: did you mean --json");
  expect_refused(
      "admit ledger --token t --norms people.csv --id patient --norm norm --noise 5 "
      "--rate 0.5 --out x.csv",
      "rate is 0.5");
  files_.put("twice.csv", "patient,norm\nA-1,1\nA-2,1\nA-1,1\n");
  expect_refused("create two --people twice.csv --id patient --epsilon 3 --delta 1e-5",
                 "the same id in lines 2 and 4");
  files_.put("unknown.csv", "patient,norm\nA-1,1\nZ-9,1\n");
  const std::string admit =
      "admit ledger --token t --id patient --norm norm --noise 5 --out x.csv ";
  expect_refused(admit + "--norms unknown.csv", "id at position 1 (from 0) is not in the ledger");
  EXPECT_EQ(run(admit + "--norms unknown.csv").err.find("Z-9"), std::string::npos);
  EXPECT_EQ(head(), before);
}

TEST_F(LedgerCommand, WhatCannotBeWrittenIsToldBeforeAnybodyIsCharged) {
  create();
  const std::string before = head();
  std::filesystem::create_directory(files_.file("folder"));
  for (const std::string out : {"nowhere/x.csv", "folder"}) {
    expect_refused(
        "admit ledger --token q --norms people.csv --id patient --norm norm --noise 20 --out " +
            out,
        "--out is '" + out);
    expect_refused("grant ledger --token g --epsilon 1 --filter " + out, "--filter is '" + out);
    expect_refused("export ledger --out " + out, "--out is '" + out);
  }
  std::filesystem::create_symlink("nowhere/x.csv", files_.file("astray"));
  for (const auto& [out, said] : {std::pair("/dev/full", "/dev/full is no regular file"),
                                  std::pair("astray", "--out is 'astray'")}) {
    expect_refused(std::string("admit ledger --token q --norms people.csv --id patient --norm norm "
                               "--noise 20 --out ") +
                       out,
                   said);
  }
  EXPECT_EQ(head(), before);
}

TEST_F(LedgerCommand, WhatIsPrintedDoesNotGoIntoWhatIsRead) {
  create();
  const std::string before = contents(files_.file("ledger"));
  const std::string people = contents(files_.file("people.csv"));
  for (const std::string line :
       {"show ledger >>ledger", "history ledger >>ledger", "verify ledger >>ledger",
        "person ledger A-1 >>ledger", "grants ledger >>ledger",
        "create new --people people.csv --id patient --epsilon 3 --delta 1e-5 >>people.csv"}) {
    const std::string shell =
        "cd " + files_.file("") + " && " + RATION_PROGRAM + " ledger " + line + " 2>err";
    EXPECT_EQ(WEXITSTATUS(std::system(shell.c_str())), 2) << line;
    EXPECT_NE(contents(files_.file("err")).find("standard output would overwrite"),
              std::string::npos);
  }
  EXPECT_TRUE(contents(files_.file("ledger")) == before);
  EXPECT_EQ(contents(files_.file("people.csv")), people);
  EXPECT_FALSE(is_there("new"));
}

TEST_F(LedgerCommand, AFilterInAnotherCurrencyIsRefused) {
  create("--epsilon 3 --delta 1e-5 --currency rdp");
  EXPECT_EQ(answer("show ledger")["currency"], "rdp");
  ASSERT_EQ(run("grant ledger --token t --all").status, 0);
  save(files_.file("other"), Filter(3, currency_named("gdp"), MuBudget{1}));
  expect_refused("settle ledger --token t --filter other", "another currency");
  save(files_.file("other"), Filter(3, currency_named("rdp"), MuBudget{1}));
  expect_refused("settle ledger --token t --filter other", "was not made from grant 't'");
}

}  // namespace
}  // namespace ration
