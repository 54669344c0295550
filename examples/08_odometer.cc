// Lesson 8: how much was spent so far? An odometer says it, and halts nobody.
//
// A sum of what was spent, read at a time chosen in view of the answers, guarantees nothing. Levels
// that were fixed in advance do: for each of them, all answers up to the last one within it are
// together as private as it says. The odometer tells which level holds, and which would hold after
// the next query, before it is run.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "examples/print.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/odometer.h"

namespace {

using namespace ration;
constexpr double kDelta = 1e-5;

// For everybody at once: each query counts as if somebody had the largest norm.
void for_everybody() {
  const std::vector<Budget> levels = {EpsilonBudget{.epsilon = 0.5, .delta = kDelta},
                                      EpsilonBudget{.epsilon = 1, .delta = kDelta},
                                      EpsilonBudget{.epsilon = 2, .delta = kDelta}};
  Odometer odometer(gdp_currency(), levels_of(*gdp_currency(), levels));
  const Step query = {.noise = 20};
  fmt::print("Queries with noise 20; levels at eps 0.5, 1 and 2, delta 1e-5:\n\n");
  std::uint64_t shown = 0;
  for (int asked = 1; asked <= 105; ++asked) {
    const std::uint64_t next = odometer.level_after(query);
    if (next == kNoLevel) {
      fmt::print("  query {:>3} would pass the last level: we leave it at that\n\n", asked);
      return;
    }
    odometer.record(query);  // and only then is it answered
    if (next == shown) continue;
    shown = next;
    fmt::print("  query {:>3}: level {} holds, eps {}\n", asked, next,
               example::up(odometer.reading(0, kDelta).epsilon.upper, 4));
  }
}

// Of each person: what they have spent follows from their own norms. Levels and eps are private;
// these people are invented.
void for_each_person() {
  struct Person {
    const char* name;
    double norm;
  };
  const std::vector<Person> people = {{"A", 1}, {"B", 0.5}, {"C", 0.1}, {"D", 0}};
  const Step step = {.noise = 20, .clip = 1};
  // Levels at once, twice, three times ... what ten steps cost at the clip bound.
  const Levels levels = levels_of(*gdp_currency(), StepsBudget{.step = step, .steps = 10});
  Odometer odometer(people.size(), gdp_currency(), levels);
  std::vector<double> norms;
  for (const Person& person : people) norms.push_back(person.norm);
  for (int k = 0; k < 95; ++k) odometer.record(step, norms);

  fmt::print("After 95 steps, a level for each ten of them at norm 1:\n\n");
  fmt::print("{:>9} {:>6} {:>7} {:>8}\n", "person", "norm", "level", "eps");
  for (std::size_t i = 0; i < people.size(); ++i) {
    const Reading reading = odometer.reading(i, kDelta);
    fmt::print("{:>9} {:>6} {:>7} {:>8}\n", people[i].name, people[i].norm, reading.level,
               example::up(reading.epsilon.upper, 4));
  }
  fmt::print(
      "\nB's norm is half of A's, and a step costs them a quarter. D never contributed\n"
      "anything, and is at level 0, where nothing was lost.\n");
}

}  // namespace

int main() {
  for_everybody();
  for_each_person();
}
