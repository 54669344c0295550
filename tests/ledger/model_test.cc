// A ledger beside the model: random changes, processes that are killed, two processes at once.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "ration/ledger/location.h"
#include "tests/ledger/home.h"
#include "tests/ledger/model.h"
#include "tests/oracle/random.h"

namespace ration::ledger {
namespace {

Model model_at(const std::string& location) {
  return model_in(*open_storage(location, Access::read));
}

class LedgerModel : public AnyHome {};
RATION_IN_ALL_HOMES(LedgerModel);

TEST_P(LedgerModel, DoesWhatTheModelDoes) {
  const std::string location = home_.location("ledger");
  const NewPeople people = some_people(0, 700);
  Model model = model_of(people);
  Ledger ledger = Ledger::create(location, gdp_currency(), 1e-6, people);
  for (std::uint64_t k = 0; k < 150; ++k) {
    const Model before = model;
    const Change change = random_change(model, k, 1);
    const Answer expected = apply(model, change);
    ASSERT_EQ(apply(ledger, before, change), expected) << k;
    ASSERT_EQ(apply(ledger, before, change), expected) << "asked again: " << k;
    ASSERT_TRUE(model_at(location) == model) << k;
    for (std::size_t i = 0; i < model.ids.size(); ++i) {
      ASSERT_LE(model.spent[i] + model.reserved[i], model.budgets[i]);
    }
  }
  EXPECT_NO_THROW(ledger.verify());
}

TEST_P(LedgerModel, AKilledProcessLosesNoSpend) {
  const std::string location = home_.location("ledger");
  const NewPeople people = some_people(0, 1000);
  Model model = model_of(people);
  Ledger::create(location, gdp_currency(), 1e-6, people);
  std::mt19937 random(1);
  std::uint64_t done = 0, inside = 0;
  useconds_t longest = 50'000;
  for (int kill_number = 0; kill_number < oracle::kills(25); ++kill_number) {
    const pid_t child = fork();
    if (child == 0) {
      Ledger ledger = Ledger::open(location);
      for (std::uint64_t k = done;; ++k) {
        const Model before = model;
        const Change change = random_change(model, k, 2);
        apply(model, change);
        apply(ledger, before, change);
      }
    }
    usleep(std::uniform_int_distribution<useconds_t>(0, longest)(random));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    wait_for_turn(location);
    Ledger ledger = Ledger::open(location);
    const std::uint64_t now = ledger.history().size() - 2;  // after creation and its people
    ASSERT_GE(now, done);
    inside += now > done ? 1 : 0;
    if (now == done) longest = std::min<useconds_t>(longest * 2, 2'000'000);
    for (; done < now; ++done) apply(model, random_change(model, done, 2));
    ASSERT_TRUE(model_at(location) == model) << done;
    ASSERT_NO_THROW(ledger.verify());
  }
  EXPECT_GT(inside, 3u) << "the kills came before anything was charged";
}

// Each child asks for its own queries; afterwards all are asked again, and the answers add up to
// what was spent.
TEST_P(LedgerModel, TwoProcessesShareOneBudget) {
  constexpr int kQueries = 15;
  const std::string location = home_.location("ledger");
  const NewPeople people = some_people(0, 500);
  Model model = model_of(people);
  Ledger::create(location, gdp_currency(), 1e-6, people);
  const std::vector<double> norms(500, 1.0);
  const Step step = {.noise = 3};
  const auto ask = [&](Ledger& ledger, int process, int k) {
    return ledger.admit(
        {.token = std::to_string(process) + "-" + std::to_string(k), .step = step, .norms = norms});
  };
  std::vector<pid_t> children;
  for (int process = 0; process < 2; ++process) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    int status = 1;
    try {
      Ledger ledger = Ledger::open(location);
      for (int k = 0; k < kQueries; ++k) ask(ledger, process, k);
      const Grant grant = ledger.grant({.token = "grant " + std::to_string(process)});
      ledger.settle(grant, std::vector<Units>(grant.reserves.size()));
      status = 0;
    } catch (const std::exception&) {
    }
    _exit(status);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  Ledger ledger = Ledger::open(location);
  const std::string head = ledger.head();
  const Units charge = gdp_currency()->price(step)->worst_case()[0];
  for (int process = 0; process < 2; ++process) {
    for (int k = 0; k < kQueries; ++k) {
      const auto mask = ask(ledger, process, k);
      for (std::size_t i = 0; i < mask.size(); ++i) model.spent[i] += mask[i] * charge;
    }
  }
  EXPECT_EQ(ledger.head(), head);
  EXPECT_TRUE(model_at(location) == model);
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_LE(model.spent[i], model.budgets[i]);
    EXPECT_GT(model.spent[i] + charge, model.budgets[i]) << "there was room for one more";
  }
  EXPECT_NO_THROW(ledger.verify());
}

// The one who comes second is refused, and the first one's ledger stays.
TEST_P(LedgerModel, OfTwoThatCreateOneLedgerOneSucceeds) {
  for (int round = 0; round < 5; ++round) {
    const std::string location = home_.location("race" + std::to_string(round));
    std::vector<pid_t> children;
    for (std::size_t process = 0; process < 2; ++process) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      int status = 2;
      try {
        Ledger::create(location, gdp_currency(), 1e-6, some_people(0, 300 + process));
        status = 0;
      } catch (const Error& error) {
        const std::string text = error.what();
        status = text.find(" already") != std::string::npos ? 1 : 3;
      }
      _exit(status);
    }
    std::vector<int> ended;
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ended.push_back(WEXITSTATUS(status));
    }
    const std::size_t winner = ended[0] == 0 ? 0 : 1;
    EXPECT_EQ(ended[winner], 0);
    EXPECT_EQ(ended[1 - winner], 1);
    Ledger ledger = Ledger::open(location);
    EXPECT_EQ(ledger.people(), 300 + winner);
    EXPECT_NO_THROW(ledger.verify());
  }
}

}  // namespace
}  // namespace ration::ledger
