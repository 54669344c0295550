// `ration account --ledger`: norms of a run are charged within what everybody has left, once.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "ration/control/gdp_currency.h"
#include "ration/ledger/ledger.h"
#include "tests/cli/command.h"
#include "tests/ledger/home.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

constexpr int kSteps = 8;
// At noise 4 and a norm of 1 a step costs mu^2 = 1/16: eight of them half a unit.
const std::string kRun = "norms.csv --noise 4 --delta 1e-5 --filter gdp --budget-mu 0.75 ";

class AccountLedger : public CommandTest, public testing::WithParamInterface<ledger::Kept> {
 protected:
  AccountLedger() : CommandTest("account") { put_norms("norms.csv", 1); }
  void SetUp() override { ledger::need(GetParam()); }

  void put_norms(const std::string& name, double scale) {
    std::string table = "person,step,norm\n";
    for (int step = 0; step < kSteps; ++step) {
      for (const auto& [id, norm] : {std::pair("ann", 1.0), {"bob", 1.0}, {"cy", 0.25}}) {
        table += std::string(id) + "," + std::to_string(step) + "," + std::to_string(norm * scale) +
                 "\n";
      }
    }
    files_.put(name, table);
  }
  // Bob has so much, and everybody else 1.
  std::string create(const std::string& name, double bobs) {
    const std::string location = home_.location(name);
    Ledger::create(location, gdp_currency(), 1e-5,
                   {.ids = {"dee", "cy", "bob", "ann"},
                    .budgets = {.kinds = {MuBudget{1}, MuBudget{bobs}}, .kind_of = {0, 0, 1, 0}}});
    return location;
  }
  static std::string with(const std::string& location, const std::string& token) {
    return "--ledger '" + location + "' --token " + token + " ";
  }
  // What so many steps of this norm cost.
  static Bound cost(double norm, int steps) {
    Filter filter(1, gdp_currency(), MuBudget{10});
    std::vector<std::uint8_t> mask(1);
    for (int k = 0; k < steps; ++k) filter.admit({.noise = 4}, std::vector<double>{norm}, mask);
    return filter.spent(0, 1e-5);
  }
  static void expect_charged_once(const std::string& location) {
    Ledger ledger = Ledger::open(location);
    EXPECT_NO_THROW(ledger.verify());
    EXPECT_EQ(ledger.person("ann").spent, cost(1, kSteps));
    EXPECT_EQ(ledger.person("bob").spent, cost(1, 2));
    EXPECT_EQ(ledger.person("cy").spent, cost(0.25, kSteps));
    EXPECT_EQ(ledger.person("dee").spent, exactly(0));
    for (const char* id : {"ann", "bob", "cy", "dee"}) {
      EXPECT_EQ(ledger.person(id).reserved, exactly(0));
    }
    EXPECT_EQ(ledger.count_grants(), 1u);
    EXPECT_EQ(ledger.grants()[0].status, ledger::GrantStatus::settled);
  }
  std::string public_page(const std::string& results) {
    const std::string line = "cd " + files_.file("") + " && " RATION_PROGRAM " report " + results +
                             " --public --out page.html >out 2>err";
    EXPECT_EQ(std::system(line.c_str()), 0) << contents(files_.file("err"));
    return contents(files_.file("page.html"));
  }

  ledger::Home home_{GetParam()};
};
RATION_IN_ALL_HOMES(AccountLedger);

constexpr double kTwoSteps = 0.36;  // 0.1296 of mu^2, and two steps cost 0.125

TEST_P(AccountLedger, ChargesEverybodyWithinWhatTheyHaveLeft) {
  const std::string location = create("ledger", kTwoSteps);
  const std::string ask = kRun + with(location, "t") + "--team red --purpose table --out eps.csv ";
  const auto told = answer(ask);
  expect_charged_once(location);
  EXPECT_EQ(mode("eps.csv"), 0600u);
  EXPECT_EQ(told["people"], 3);
  const auto grants = Ledger::open(location).grants();
  EXPECT_EQ(grants[0].team, "red");
  EXPECT_EQ(grants[0].purpose, "table");
}

// The same run of two ledgers: in one of them bob is left out of most steps, and he is nobody's
// business. Only the head tells the pages apart, which follows from the ledger's key.
TEST_P(AccountLedger, WhatAnalystsSeeHoldsNothingAboutWhoWasLeftOut) {
  std::vector<std::string> pages, promises;
  for (const double bobs : {kTwoSteps, 1.0}) {
    const std::string name = bobs == 1 ? "rich" : "poor", location = create(name, bobs);
    const Ended o = run(kRun + with(location, "t") + "--results " + name);
    ASSERT_EQ(o.status, 0) << o.err;
    const auto summary = nlohmann::json::parse(contents(files_.file(name + "/summary.json")));
    const std::string head = summary["made"]["ledger_head_at_grant"];
    EXPECT_TRUE(Ledger::open(location).contains(head));
    std::string page = public_page(name);
    for (const std::string id : {"ann", "bob", "dee"}) {
      EXPECT_EQ(page.find(">" + id + "<"), std::string::npos);
    }
    for (std::size_t at = page.find(head.substr(0, 12)); at != std::string::npos;
         at = page.find(head.substr(0, 12))) {
      std::size_t length = 12;
      while (length < head.size() && page.compare(at, length + 1, head, 0, length + 1) == 0)
        ++length;
      page.replace(at, length, "HEAD");
    }
    for (std::size_t at = page.find(name); at != std::string::npos; at = page.find(name)) {
      page.replace(at, name.size(), "NAME");
    }
    pages.push_back(page);
    promises.push_back(summary["epsilon"].dump());
  }
  EXPECT_EQ(promises[0], promises[1]);
  EXPECT_TRUE(pages[0] == pages[1]) << "the public page depends on what bob had left";
  EXPECT_NE(contents(files_.file("poor/epsilons.csv")), contents(files_.file("rich/epsilons.csv")));
}

TEST_P(AccountLedger, ATokenChargesOnce) {
  const std::string location = create("ledger", kTwoSteps);
  ASSERT_EQ(run(kRun + with(location, "t")).status, 0);
  const std::string head = Ledger::open(location).head();
  // All of it is settled: there is nothing to go on with.
  expect_refused(kRun + with(location, "t"), "grant 't' is settled");
  for (const std::string other : {"--team blue", "--purpose other"}) {
    expect_refused(kRun + with(location, "t") + other, "was used before for another request");
  }
  expect_refused(
      "norms.csv --noise 4 --delta 1e-5 --filter gdp --budget-mu 0.7 " + with(location, "t"),
      "was used before for another request");
  EXPECT_EQ(Ledger::open(location).head(), head);
  expect_charged_once(location);
}

// The same command goes on and comes to the same charges; other norms cannot take its place.
TEST_P(AccountLedger, KilledAtRandomMomentsItIsChargedOnce) {
  const int wanted = oracle::kills(12);
  std::mt19937 random(3);
  useconds_t longest = 60'000;
  int kills = 0, open = 0;
  put_norms("others.csv", 0.5);
  for (int round = 0; kills < wanted; ++round) {
    const std::string location = create("ledger" + std::to_string(round), kTwoSteps);
    const std::string ask = kRun + with(location, "t") + "--out eps.csv";
    for (bool finished = false; !finished;) {
      const pid_t child = start(ask);
      usleep(std::uniform_int_distribution<useconds_t>(0, longest)(random));
      kill(child, SIGKILL);
      const int status = ended(child);
      finished = WIFEXITED(status);
      if (finished) {
        ASSERT_EQ(WEXITSTATUS(status), 0) << contents(files_.file("err"));
        longest = std::max<useconds_t>(longest * 2 / 3, 10'000);
        continue;
      }
      ++kills;
      longest = std::min<useconds_t>(longest * 9 / 8, 2'000'000);
      ledger::wait_for_turn(location);
      const auto grants = Ledger::open(location).grants();
      if (grants.empty()) continue;
      if (grants[0].status == ledger::GrantStatus::settled) break;
      if (grants[0].status != ledger::GrantStatus::started) continue;
      ++open;
      expect_refused("others" + ask.substr(ask.find('.')), "was started by another run");
    }
    expect_charged_once(location);
    if (HasFailure()) return;
  }
  RecordProperty("killed_between_start_and_settle", open);
}

TEST_P(AccountLedger, WhatIsWrongIsRefusedAndNothingIsCharged) {
  const std::string location = create("ledger", 1), on = with(location, "t");
  const std::string head = Ledger::open(location).head();
  const std::string norms = "norms.csv --noise 4 --delta 1e-5 ";
  expect_refused(kRun + "--ledger '" + location + "'", "--ledger and --token belong together");
  expect_refused(kRun + "--token t", "--ledger and --token belong together");
  expect_refused(kRun + "--team red", "belong to --ledger");
  expect_refused(norms + on, "--ledger needs --filter");
  expect_refused(kRun + on + "--follow ann --results r", "--follow does not go with --ledger");
  expect_refused(norms + on + "--filter rdp --budget-mu 1", "the currency of the ledger");
  expect_refused("norms.csv --noise 4 --delta 1e-6 --filter gdp --budget-mu 1 " + on,
                 "--delta is 1e-06: give 1e-05");
  expect_refused(kRun + "--ledger nothing --token t", "ration ledger create has made");
  expect_refused(kRun + with("postgresql://127.0.0.1:1/clinic", "t"), "does not answer", 2);
  files_.put("norms.csv", contents(files_.file("norms.csv")) + "zoe,0,1\n");
  expect_refused(kRun + on + "--out x.csv", "is not in the ledger");
  EXPECT_EQ(run(kRun + on).err.find("zoe"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(files_.file("x.csv")));
  EXPECT_EQ(Ledger::open(location).head(), head);
}

}  // namespace
}  // namespace ration
