// Lesson 4: people choose how much they allow. An individual filter keeps every budget.
//
// Five people take part in a sequence of noisy sums. Some allowed eps = 1, others eps = 3. Before
// each step the filter says who takes part; anyone who has too little left for this step is left
// out, pays nothing for it, and comes back when a later step fits.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "examples/print.h"
#include "ration/control/filter.h"
#include "ration/control/gdp_currency.h"

namespace {

constexpr int kSteps = 60;
constexpr double kDelta = 1e-5;

struct Person {
  const char* name;
  std::uint32_t budget;    // 0: eps 1; 1: eps 3
  double early, late;      // norm of the contribution in steps 1 to 20, and from 21 on
  std::string shown = {};  // a mark for each step
  int took_part = 0;
};

}  // namespace

int main() {
  using namespace ration;
  std::vector<Person> people = {
      {"A", 0, 1, 1}, {"B", 0, 0.5, 0.5}, {"C", 1, 1, 1}, {"D", 1, 0.5, 0.5}, {"E", 0, 1, 0.1}};

  Budgets budgets = {.kinds = {EpsilonBudget{.epsilon = 1, .delta = kDelta},
                               EpsilonBudget{.epsilon = 3, .delta = kDelta}}};
  for (const Person& person : people) budgets.kind_of.push_back(person.budget);
  Filter filter(people.size(), gdp_currency(), budgets);

  const Step step = {.noise = 10, .clip = 1};
  std::vector<double> norms(people.size());
  std::vector<std::uint8_t> takes_part(people.size());
  for (int k = 1; k <= kSteps; ++k) {
    for (std::size_t i = 0; i < people.size(); ++i) {
      norms[i] = k <= 20 ? people[i].early : people[i].late;
    }
    filter.admit(step, norms, takes_part);  // decides and charges; sum and release come after it
    for (std::size_t i = 0; i < people.size(); ++i) {
      people[i].shown += takes_part[i] != 0 ? '#' : '.';
      people[i].took_part += takes_part[i];
    }
  }

  fmt::print("Noisy sums with noise 10, delta 1e-5. Who takes part in which step?\n");
  fmt::print("These people are invented: of real people this table is private.\n\n");
  fmt::print("{:>17}1{:>19}{:>20}{:>20}\n", "", 20, 40, 60);
  for (const Person& person : people) {
    fmt::print("  {:<5} eps {:<4} {}\n", person.name, person.budget == 0 ? 1 : 3, person.shown);
  }
  fmt::print("\n{:>9} {:>11} {:>14} {:>16}\n", "person", "norm", "took part in", "charged, as eps");
  for (std::size_t i = 0; i < people.size(); ++i) {
    const Bound charged = filter.spent(i, kDelta);
    fmt::print("{:>9} {:>4} to {:>4} {:>14} {:>16}\n", people[i].name, people[i].early,
               people[i].late, people[i].took_part, example::up(charged.upper, 4));
  }
  fmt::print(
      "\nB's norm is half of A's, and a step costs them a quarter. E had too little\n"
      "left for another step at norm 1 and was left out; from step 21 on their norm is\n"
      "0.1, a step costs a hundredth, and they are admitted again until that is spent.\n");
}
