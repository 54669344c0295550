// Lesson 9: a budget that belongs to a person, not to a run.
//
// Three teams use the same people's data. Each would be harmless alone; what counts is the sum. A
// ledger keeps everybody's budget in one file: a run reserves before it starts, settles at its end,
// and what nobody knows counts as spent.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "examples/print.h"
#include "ration/base/error.h"
#include "ration/control/gdp_currency.h"
#include "ration/ledger/ledger.h"

namespace {

using namespace ration;
using example::up;
namespace fs = std::filesystem;

constexpr std::size_t kPeople = 5000;

// A folder for this lesson, gone when it ends.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "ration.XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw Error("no temporary folder: set TMPDIR");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void tell(Ledger& ledger, const std::string& what) {
  const auto person = ledger.person("patient 7");
  fmt::print("{:<35} spent {}  reserved {}  left {:.4f}\n", what, up(person.spent.upper, 4),
             up(person.reserved.upper, 4), person.left.lower);
}

// A run: a filter of everybody's reserves, and steps until its end.
Filter run(const Filter& reserved, int steps) {
  Filter filter = reserved;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> norm(0, 1);
  std::vector<std::uint8_t> takes_part(kPeople);
  for (int k = 0; k < steps; ++k) {
    std::vector<float> norms(kPeople);
    for (float& x : norms) x = norm(random);
    filter.admit({.noise = 40}, norms, takes_part);
  }
  return filter;
}

bool lesson() {
  const Folder folder;
  ledger::NewPeople people = {.ids = {},
                              .budgets = {.kinds = {EpsilonBudget{.epsilon = 3, .delta = 1e-5}}}};
  for (std::size_t i = 0; i < kPeople; ++i) people.ids.push_back(fmt::format("patient {}", i));
  Ledger ledger = Ledger::create(folder.file("ledger"), gdp_currency(), 1e-5, people);
  fmt::print("{} people, eps 3 at delta 1e-5 each. Patient 7:\n\n", ledger.people());

  // A run reserves, starts, releases, settles. Of the reserve it uses what its filter charged.
  const ledger::Grant first = ledger.grant({.token = "imaging 1",
                                            .team = "imaging",
                                            .limit = EpsilonBudget{.epsilon = 2, .delta = 1e-5}});
  const Filter reserved = ledger.filter(first);
  tell(ledger, "imaging reserves eps 2");
  ledger.start("imaging 1", "run on node 4");
  ledger.settle(first, run(reserved, 60));
  tell(ledger, "60 steps later it settles");

  // A run that was killed: nobody knows what it released, so all of it stays reserved.
  const ledger::GrantRequest lost = {.token = "genomics 1",
                                     .team = "genomics",
                                     .limit = EpsilonBudget{.epsilon = 1, .delta = 1e-5}};
  ledger.grant(lost);
  ledger.start("genomics 1", "run on node 5");
  tell(ledger, "genomics reserves 1 and is killed");
  const bool again = ledger.grant(lost).status == ledger::GrantStatus::started;
  tell(ledger, "the same token: the same grant");

  // A query that is released once. Patients for whom it does not fit are left out of the sum.
  const std::vector<double> norms(kPeople, 1.0);
  const auto mask = ledger.admit({.token = "mean age", .step = {.noise = 5}, .norms = norms});
  tell(ledger, fmt::format("a query {} patient 7", mask[7] == 1 ? "with" : "without"));

  // An old copy knows nothing of what came later. A head that somebody wrote down tells.
  const std::string seen = ledger.head();
  ledger.verify();
  const bool known = ledger.contains(seen);
  fmt::print("\nEvery link of the chain holds; the head that a witness saw is {}.\n",
             known ? "in it" : "NOT IN IT");
  return again && known;
}

}  // namespace

int main() { return lesson() ? EXIT_SUCCESS : EXIT_FAILURE; }
