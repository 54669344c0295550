// `ration train --ledger`: runs share everybody's budgets, whatever is killed, moved or restored.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <random>

#include "ration/control/currency.h"
#include "ration/control/filter.h"
#include "ration/dataset/load_dataset.h"
#include "ration/ledger/ledger.h"
#include "ration/results/directory.h"
#include "ration/train/checkpoint.h"
#include "ration/train/held_grant.h"
#include "ration/train/journal.h"
#include "tests/cli/command.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

constexpr int kPeople = 30;

// A tiny clip bound: everybody pays for it at every step, so that charges can be counted.
std::string settings(const std::string& more = "") {
  return R"([data]
source = "csv"
train = "data.csv"
id = "patient"
labels = ["outcome"]
[model]
hidden = [3]
[optimiser]
rate = 1e-9
[privacy]
mode = "gd"
noise = 10
clip = 1e-6
delta = 1e-5
)" + more +
         R"([run]
epochs = 10
checkpoint_seconds = 0.01
)";
}

class TrainLedger : public CommandTest {
 protected:
  TrainLedger() : CommandTest("train") {
    std::string data = "patient,age,outcome\n", people = "patient\n";
    for (int i = 0; i < kPeople; ++i) {
      data += "P-" + std::to_string(i) + "," + std::to_string(i * 7 % 5) + "," +
              (i % 3 == 0 ? "ill" : "well") + "\n";
      people += "P-" + std::to_string(kPeople - 1 - i) + "\n";  // in another order
    }
    files_.put("data.csv", data);
    files_.put("people.csv", people + "P-elsewhere\n");
    files_.put("settings.toml", settings());
  }

  Ended ledger(const std::string& arguments) {
    const std::string line = "cd " + files_.file("") + " && " + RATION_PROGRAM + " ledger " +
                             arguments + " >out 2>err </dev/null";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), contents(files_.file("out")), contents(files_.file("err"))};
  }
  // A budget of so many steps at the clip bound, and a little.
  void create(double steps, const std::string& more = "") {
    const double mu = std::sqrt((steps + 0.5) / 100);
    const Ended o = ledger("create ledger --people people.csv --id patient --delta 1e-5 --mu " +
                           std::to_string(mu) + more);
    ASSERT_EQ(o.status, 0) << o.err;
  }
  Ledger open() { return Ledger::open(files_.file("ledger")); }
  std::string head() { return open().head(); }

  // What so many steps at the clip bound cost, in whole units, as eps.
  static Bound cost(std::uint32_t steps) {
    Filter filter(1, currency_named("gdp"), MuBudget{10});
    std::vector<std::uint8_t> mask(1);
    for (std::uint32_t i = 0; i < steps; ++i) {
      filter.admit({.noise = 10, .clip = 1e-6}, std::vector<double>{1}, mask);
    }
    return filter.spent(0, 1e-5);
  }
  void expect_spent(std::uint32_t steps) {
    Ledger now = open();
    now.verify();
    for (int i = 0; i < kPeople; ++i) {
      const ledger::Person person = now.person("P-" + std::to_string(i));
      ASSERT_EQ(person.spent, cost(steps));
      ASSERT_EQ(person.reserved, exactly(0));
    }
    EXPECT_EQ(now.person("P-elsewhere").spent, exactly(0));
  }

  nlohmann::json summary(const std::string& run) {
    return nlohmann::json::parse(contents(files_.file(run + "/summary.json")));
  }

  // The steps that a run directory says were charged: all people pay alike.
  std::uint32_t charged(const std::string& run) {
    train::Checkpoint found = train::load_checkpoint(files_.file(run + "/checkpoint.state"));
    std::vector<std::uint8_t> mask(found.books.people());
    train::replay(files_.file(run + "/journal"), found.training.generation, found.books.people(),
                  [&](std::span<const float> charges, std::uint64_t steps) {
                    for (std::uint64_t i = 0; i < steps; ++i) {
                      found.books.charge({.noise = 10, .clip = 1e-6}, charges, mask);
                    }
                  });
    return found.books.settle().attendance.people[0].admitted;
  }
};

TEST_F(TrainLedger, TwoRunsShareEverybodysBudgetToTheLastUnit) {
  create(14);
  ASSERT_EQ(run("settings.toml --ledger ledger --token one --out one --team a").status, 0);
  expect_spent(10);
  ASSERT_EQ(run("settings.toml --ledger ledger --token two --out two --purpose more").status, 0);
  expect_spent(14);
  EXPECT_EQ(charged("two"), 4u);
  EXPECT_EQ(lines("two/epsilons.csv")[1].substr(0, 6), "0,P-0,");
  EXPECT_TRUE(lines("two/epsilons.csv")[1].ends_with(",4,6,4")) << lines("two/epsilons.csv")[1];
  // Both promise the same: what people had left is nobody's business.
  EXPECT_EQ(summary("one")["epsilon"], summary("two")["epsilon"]);
  EXPECT_EQ(lines("one/epochs.csv").size(), lines("two/epochs.csv").size());
  EXPECT_EQ(summary("two")["made"]["ledger_head"], head());
  EXPECT_EQ(mode("two/ledger.state"), 0600u);
  const auto grants = open().grants();
  ASSERT_EQ(grants.size(), 2u);
  EXPECT_EQ(grants[0].team, "a");
  EXPECT_EQ(grants[1].purpose, "more");
  EXPECT_EQ(grants[1].status, ledger::GrantStatus::settled);
}

TEST_F(TrainLedger, ADryRunSaysWhatItWouldAskForAndTakesNothing) {
  create(14);
  const std::string before = head();
  const auto j = answer("settings.toml --ledger ledger --token t --dry-run");
  EXPECT_EQ(j["ledger"]["token"], "t");
  EXPECT_EQ(bound(j["ledger"]["limit"]), bound(j["filter"]["budget"]));
  EXPECT_FALSE(j["filter"].contains("first_step"));
  EXPECT_EQ(head(), before);
}

TEST_F(TrainLedger, AFinishedRunSaysTheSameAgainAndSettlesNothingTwice) {
  create(14);
  ASSERT_EQ(run("settings.toml --ledger ledger --token t --out r").status, 0);
  const std::string after = head();
  ASSERT_EQ(run("--resume --out r --ledger ledger --token t").status, 0);
  EXPECT_EQ(ledger("recover ledger --run r").status, 0);
  EXPECT_EQ(head(), after);
  expect_spent(10);
}

TEST_F(TrainLedger, WhatIsWrongIsRefusedAndNothingIsCharged) {
  create(14);
  ASSERT_EQ(run("settings.toml --ledger ledger --token used --out r").status, 0);
  const std::string before = head();
  const std::string with = " --ledger ledger --token t --out x ";
  expect_refused("settings.toml --ledger ledger --out x", "belong together");
  expect_refused("settings.toml --team a --out x", "belong to --ledger");
  expect_refused("settings.toml --ledger nothing --token t --out x", "ledger create has made");
  expect_refused(
      "settings.toml --set data.id=\"\\\"\\\"\" --set 'data.leave_out=[\"patient\"]'" + with,
      "the data have none");
  expect_refused("settings.toml --set run.test_seed=1" + with, "test run");
  expect_refused("settings.toml --set 'privacy.mode=\"none\"'" + with, "without privacy");
  expect_refused("settings.toml --delta 1e-6" + with, "privacy.delta is 1e-06: give 1e-05");
  expect_refused("settings.toml --set filter.mu=1 --set filter.kind=rdp" + with,
                 "filter.kind is rdp");
  expect_refused(
      "settings.toml --noise 2 --rate 0.1 --set privacy.mode=sgd "
      "--set privacy.norms=exact --set filter.kind=tight --set filter.epsilon=1.5" +
          with,
      "prices of a tight filter are of one kind of steps, and ledgers have none");
  expect_refused("settings.toml --set privacy.mode=sgd --rate 0.5 --set privacy.norms=exact" + with,
                 "rate is 0.5");
  // A token of another run, by its directory and by its request.
  expect_refused("settings.toml --ledger ledger --token used --out x", "grant 'used' is settled");
  expect_refused("settings.toml --epochs 11 --ledger ledger --token used --out x",
                 "was used before for another request");
  expect_refused("--resume --out r --ledger ledger --token t", "belongs to another grant");
  expect_refused("--resume --out r", "holds a run with a ledger");
  std::string data = contents(files_.file("data.csv"));
  files_.put("data.csv", data + "P-unknown,3,ill\n");
  expect_refused("settings.toml" + with, "id at position 30 (from 0) is not in the ledger");
  EXPECT_EQ(run("settings.toml" + with).err.find("P-unknown"), std::string::npos);
  files_.put("data.csv", data);
  // A run without a ledger does not become one with it.
  ASSERT_EQ(run("settings.toml --out plain").status, 0);
  expect_refused("--resume --out plain --ledger ledger --token t", "a run without a ledger");
  EXPECT_EQ(ledger("recover ledger --run plain").status, 2);
  EXPECT_FALSE(is_there("x"));
  EXPECT_EQ(head(), before);
}

TEST_F(TrainLedger, ARestoredBackupIsRefused) {
  create(14);
  ASSERT_EQ(run("settings.toml --ledger ledger --token before --out before").status, 0);
  std::filesystem::copy_file(files_.file("ledger"), files_.file("backup"));
  ASSERT_EQ(run("settings.toml --ledger ledger --token t --out r").status, 0);
  std::filesystem::rename(files_.file("backup"), files_.file("ledger"));
  expect_refused("--resume --out r --ledger ledger --token t", "has never had the head");
  const Ended recover = ledger("recover ledger --run r");
  EXPECT_EQ(recover.status, 2);
  EXPECT_NE(recover.err.find("has never had the head"), std::string::npos) << recover.err;
}

TEST_F(TrainLedger, ALedgerThatIsAwayAtTheEndIsSettledLater) {
  create(5000);
  const pid_t child = start("settings.toml --epochs 200 --ledger ledger --token t --out r");
  wait_until_there("r/epochs.csv", child);
  std::filesystem::rename(files_.file("ledger"), files_.file("away"));
  const int status = ended(child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_NE(contents(files_.file("err")).find("ration ledger recover"), std::string::npos);
  EXPECT_FALSE(summary("r")["made"].contains("ledger_head"));
  EXPECT_EQ(summary("r")["steps"], 200);
  std::filesystem::rename(files_.file("away"), files_.file("ledger"));
  EXPECT_EQ(open().grants()[0].status, ledger::GrantStatus::started);
  ASSERT_EQ(ledger("recover ledger --run r").status, 0);
  expect_spent(200);
  ASSERT_EQ(run("--resume --out r --ledger ledger --token t").status, 0);
  EXPECT_EQ(summary("r")["made"]["ledger_head"], head());
}

// Settled from a copy of its directory while it goes on: what it has made since is not paid for.
TEST_F(TrainLedger, ARunWhoseGrantWasSettledMeanwhileWritesNoModel) {
  create(5000);
  const pid_t child = start("settings.toml --epochs 400 --ledger ledger --token t --out r");
  wait_until_there("r/epochs.csv", child);
  kill(child, SIGSTOP);
  std::filesystem::copy(files_.file("r"), files_.file("copy"),
                        std::filesystem::copy_options::recursive);
  const Ended recovered = ledger("recover ledger --run copy");
  kill(child, SIGCONT);
  const int status = ended(child);
  ASSERT_EQ(recovered.status, 0) << recovered.err;
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  const std::string err = contents(files_.file("err"));
  EXPECT_NE(err.find("was settled meanwhile, with other charges"), std::string::npos) << err;
  EXPECT_FALSE(is_there("r/summary.json"));
  EXPECT_FALSE(is_there("r/model.npz"));
}

TEST_F(TrainLedger, AStoppedRunKeepsItsGrant) {
  create(5000);
  const pid_t child = start("settings.toml --epochs 200 --ledger ledger --token t --out r");
  wait_until_there("r/epochs.csv", child);
  kill(child, SIGINT);
  EXPECT_EQ(WEXITSTATUS(ended(child)), 130);
  EXPECT_NE(contents(files_.file("err"))
                .find("ration train --resume --out r --ledger ledger --token t\n"),
            std::string::npos)
      << contents(files_.file("err"));
  EXPECT_EQ(open().grants()[0].status, ledger::GrantStatus::started);
  expect_refused("settings.toml --epochs 200 --ledger ledger --token t --out other",
                 "grant 't' is started");
  ASSERT_EQ(run("--resume --out r --ledger ledger --token t").status, 0);
  expect_spent(200);
}

// As if killed after its grant was taken, before anything was started.
class TrainLedgerTaken : public TrainLedger {
 protected:
  train::HeldGrant take(const std::string& token, const results::RunDirectory& directory) {
    const std::vector<std::string> overrides = {"data.train=\"" + files_.file("data.csv") + "\""};
    const train::Settings settings =
        train::read_settings(files_.file("settings.toml"), overrides, open());
    const Dataset data = load_dataset(settings.data.source, settings.data.options);
    return train::HeldGrant::take({.ledger = files_.file("ledger"), .token = token}, settings,
                                  data.train, directory);
  }
  void take(const std::string& token, const std::string& out) {
    take(token, results::RunDirectory(files_.file(out), false));
  }
};

TEST_F(TrainLedgerTaken, WhatWasNeverStartedGoesBackAsAWhole) {
  create(14);
  take("t", "r");
  EXPECT_EQ(open().person("P-1").reserved, cost(10));
  expect_refused("settings.toml --out r", "holds a run with a ledger");
  expect_refused("settings.toml --ledger ledger --token u --out r", "belongs to another grant");
  ASSERT_EQ(ledger("recover ledger --run r").status, 0);
  ASSERT_EQ(ledger("recover ledger --run r").status, 0);
  EXPECT_EQ(open().grants()[0].status, ledger::GrantStatus::voided);
  expect_spent(0);
  expect_refused("settings.toml --ledger ledger --token t --out r", "grant 't' is voided");
}

TEST_F(TrainLedgerTaken, TheSameCommandGoesOnWithTheSameGrant) {
  create(14);
  take("t", "r");
  ASSERT_EQ(run("settings.toml --ledger ledger --token t --out r").status, 0);
  expect_spent(10);
  EXPECT_EQ(open().count_grants(), 1u);
}

// Of one directory, so of one name.
TEST_F(TrainLedgerTaken, TwoHoldersOfADirectoryStartOnce) {
  create(14);
  const results::RunDirectory directory(files_.file("r"), false);
  train::HeldGrant one = take("t", directory), two = take("t", directory);
  one.start();
  EXPECT_EQ(refusal([&] { two.start(); }).substr(0, 32), "grant 't' was started meanwhile,");
  EXPECT_EQ(refusal([&] { one.start(); }), "accepted");
}

TEST_F(TrainLedgerTaken, OnlyTheDirectoryThatHasStartedCanSettle) {
  create(14);
  take("t", "first");
  ASSERT_EQ(run("settings.toml --ledger ledger --token t --out second").status, 0);
  EXPECT_EQ(ledger("recover ledger --run first").status, 2);
  expect_refused("settings.toml --ledger ledger --token t --out first", "grant 't' is settled");
  expect_spent(10);
}

TEST_F(TrainLedger, KilledAtRandomMomentsNoSpendIsLost) {
  const int wanted = std::clamp(oracle::cases() / 100, 10, 500);  // 100 by default
  std::mt19937 random(5);
  useconds_t longest = 40'000;
  int kills = 0;
  for (int round = 0; kills < wanted; ++round) {
    for (const char* name : {"r", "ledger", "ledger-journal"}) {
      std::filesystem::remove_all(files_.file(name));
    }
    create(12);  // some steps that are done again fit, and not many
    const std::string with = " --ledger ledger --token t --out r";
    bool finished = false;
    while (!finished) {
      const bool resumes = is_there("r/checkpoint.state");
      const pid_t child = start((resumes ? "--resume" : "settings.toml") + with);
      usleep(std::uniform_int_distribution<useconds_t>(0, longest)(random));
      kill(child, SIGKILL);
      const int status = ended(child);
      if (WIFEXITED(status)) {
        ASSERT_EQ(WEXITSTATUS(status), 0) << contents(files_.file("err"));
        finished = true;
        longest = std::max<useconds_t>(longest * 2 / 3, 10'000);
        break;
      }
      ++kills;
      longest = std::min<useconds_t>(longest * 9 / 8, 3'000'000);
      Ledger now = open();
      now.verify();
      const ledger::Person person = now.person("P-3");
      const bool begun = is_there("r/checkpoint.state");
      const std::uint32_t steps = begun ? charged("r") : 0;
      ASSERT_GE(max(person.reserved, person.spent).upper, cost(steps).lower);
      ASSERT_LE(steps, 12u);
      if (random() % 4 != 0) continue;
      // Nobody goes on with it: what the directory says is settled, and nothing more.
      if (!is_there("r/ledger.state")) break;
      const Ended recover = ledger("recover ledger --run r");
      ASSERT_EQ(recover.status, 0) << recover.err;
      expect_spent(steps);
      ASSERT_EQ(ledger("recover ledger --run r").status, 0);
      if (!is_there("r/summary.json")) {
        const Ended again = run((begun ? "--resume" : "settings.toml") + with);
        const bool all_steps_made = again.status == 0;
        ASSERT_TRUE(all_steps_made || again.status == 2) << again.err;
        if (!all_steps_made) expect_spent(steps);
      }
      break;
    }
    if (finished) expect_spent(charged("r"));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

}  // namespace
}  // namespace ration
