// Three teams work with one ledger at the same time, each in a process of its own that is killed
// again and again. Afterwards the links say in which order all of it happened, and the model, which
// is alone with its whole numbers, does the same once more: every answer and every account agree,
// and at no link has anybody spent or reserved more than their budget.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <numeric>

#include "ration/ledger/location.h"
#include "tests/ledger/home.h"
#include "tests/ledger/model.h"
#include "tests/oracle/random.h"

namespace ration::ledger {
namespace {

using Kind = Change::Kind;
constexpr int kTeams = 3;

// What a team does in its round follows from both numbers and from what was answered, and from
// nothing that another team does.
class Plan {
 public:
  Plan(int team, int round, std::size_t people)
      : random_(static_cast<unsigned>(team * 1'000'003 + round)) {
    first = {.kind = below(2) == 0 ? Kind::admit : Kind::grant,
             .token = std::to_string(team) + "-" + std::to_string(round),
             .who = std::vector<std::size_t>(people),
             .everybody = below(2) == 0};
    std::iota(first.who.begin(), first.who.end(), 0);
    if (!first.everybody) {
      std::shuffle(first.who.begin(), first.who.end(), random_);
      first.who.resize(1 + below(50));
    }
    first.noise = 2 + static_cast<double>(below(20));
    if (below(4) != 0) first.limit = 0.01 * static_cast<double>(1 + below(60));
    for (std::size_t i = 0; i < first.who.size(); ++i) {
      first.norms.push_back(0.01 * static_cast<double>(below(150)));
    }
    fate_ = below(10);
  }
  // What becomes of a grant: it is settled with a part of it or with all of it, given back, started
  // and forgotten, or forgotten at once.
  std::vector<Change> later(const Answer& reserves) const {
    Change next = first;
    std::vector<Change> all;
    const auto add = [&](Kind kind) {
      next.kind = kind;
      all.push_back(next);
    };
    if (fate_ < 7) add(fate_ == 6 ? Kind::give_up : Kind::start);
    if (fate_ < 4) {
      for (std::size_t i = 0; i < reserves.size(); ++i) {
        next.charges.push_back(reserves[i] / 7 * ((i + fate_) % 8));
      }
      add(Kind::settle);
    }
    if (fate_ == 4) add(Kind::settle_everything);
    return all;
  }
  Change first;

 private:
  std::uint64_t below(std::uint64_t most) { return random_() % most; }
  std::mt19937_64 random_;
  std::uint64_t fate_ = 0;
};

std::string kind_of_link(const Change& change) {
  switch (change.kind) {
    case Kind::add:
      return "people";
    case Kind::grant:
      return "grant";
    case Kind::start:
      return "start";
    case Kind::settle:
    case Kind::settle_everything:
      return "settle";
    case Kind::give_up:
      return "void";
    case Kind::admit:
      return "admit";
  }
  return "";
}

std::string digest(const Answer& answer) {
  const Bytes bytes = std::as_bytes(std::span(answer));
  return hexadecimal(checksum_of(std::span(&bytes, 1)));
}

// A team's work from a round on, each answer written down as soon as it is known.
[[noreturn]] void work(const std::string& location, const Model& people, int team, int first,
                       int rounds, const std::string& answers) {
  int status = 1;
  try {
    Ledger ledger = Ledger::open(location);
    std::ofstream out(answers, std::ios::app);
    for (int round = first; round < rounds; ++round) {
      const Plan plan(team, round, people.ids.size());
      const Answer answer = apply(ledger, people, plan.first);
      const bool closed = plan.first.kind == Kind::grant && answer.empty();
      if (!closed) out << plan.first.token << ' ' << digest(answer) << std::endl;
      if (plan.first.kind == Kind::admit || closed) continue;
      for (const Change& change : plan.later(answer)) apply(ledger, people, change);
    }
    status = 0;
  } catch (const std::exception&) {
  }
  _exit(status);
}

class Teams : public AnyHome {};
RATION_IN_ALL_HOMES(Teams);

TEST_P(Teams, NobodysTotalExceedsTheirBudgetWhoeverIsKilled) {
  const bool soak = oracle::kills(0) != 0;
  const int rounds = soak ? 120 : 20, kills = soak ? 200 : 20;
  const std::string location = home_.location("ledger");
  const NewPeople all = some_people(0, soak ? 100'000 : 2'000);
  Model model = model_of(all);
  const Model people = model;
  Ledger::create(location, gdp_currency(), 1e-6, all);
  const auto answers = [&](int team) { return home_.scratch().file(std::to_string(team)); };

  std::mt19937 random(11);
  std::vector<pid_t> working(kTeams);
  std::vector<bool> done(kTeams);
  int killed = 0;
  const auto begin = [&](int team) {
    int reached = 0;
    for (const GrantEntry& one : Ledger::look_at(location).grants()) {
      const std::size_t dash = one.token.find('-');
      if (std::stoi(one.token.substr(0, dash)) != team) continue;
      reached = std::max(reached, std::stoi(one.token.substr(dash + 1)));
    }
    working[static_cast<std::size_t>(team)] = fork();
    if (working[static_cast<std::size_t>(team)] == 0) {
      work(location, people, team, reached, rounds, answers(team));
    }
  };
  for (int team = 0; team < kTeams; ++team) begin(team);
  while (std::count(done.begin(), done.end(), true) < kTeams) {
    usleep(std::uniform_int_distribution<useconds_t>(0, soak ? 3'000'000 : 150'000)(random));
    const int team = static_cast<int>(random() % kTeams);
    const auto at = static_cast<std::size_t>(team);
    if (done[at]) continue;
    if (killed < kills) killed += kill(working[at], SIGKILL) == 0 ? 1 : 0;
    int status = 0;
    if (waitpid(working[at], &status, killed < kills ? 0 : WNOHANG) != working[at]) continue;
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0) << "a team was refused";
      done[at] = true;
    } else {
      begin(team);
    }
  }
  EXPECT_GT(killed, kTeams);

  std::map<std::string, std::string> expected;         // answers by token
  std::map<std::string, std::vector<Change>> to_come;  // of each grant
  Ledger ledger = Ledger::open(location);
  for (const HistoryEntry& link : ledger.history()) {
    if (link.kind == "create" || link.kind == "people") continue;
    Change change;
    if (link.kind == "grant" || link.kind == "admit") {
      const std::size_t dash = link.token.find('-');
      const Plan plan(std::stoi(link.token.substr(0, dash)), std::stoi(link.token.substr(dash + 1)),
                      people.ids.size());
      const Answer answer = apply(model, plan.first);
      ASSERT_TRUE(expected.emplace(link.token, digest(answer)).second) << "charged twice";
      if (link.kind == "grant") to_come[link.token] = plan.later(answer);
      change = plan.first;
    } else {
      auto& rest = to_come[link.token];
      ASSERT_FALSE(rest.empty());
      change = rest.front();
      rest.erase(rest.begin());
      apply(model, change);
    }
    ASSERT_EQ(link.kind, kind_of_link(change));
    for (const std::size_t i : change.who) {
      ASSERT_LE(model.spent[i] + model.reserved[i], model.budgets[i]);
    }
  }
  EXPECT_EQ(expected.size(), static_cast<std::size_t>(kTeams * rounds));
  EXPECT_TRUE(model_in(*open_storage(location, Access::read)) == model);
  EXPECT_NO_THROW(ledger.verify());
  for (int team = 0; team < kTeams; ++team) {
    std::ifstream in(answers(team));
    for (std::string token, answer; in >> token >> answer;) {
      // The last line may have been cut short by a kill.
      if (answer.size() != 64) continue;
      EXPECT_EQ(answer, expected[token]) << token;
    }
  }
}

}  // namespace
}  // namespace ration::ledger
