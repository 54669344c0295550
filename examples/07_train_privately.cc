// Lesson 7: private training from C++. A network learns 25 diagnoses of a synthetic cohort by noisy
// gradient steps over everybody. A filter lets each person spend what 20 steps cost at the clip
// bound; anyone who has spent it is left out, and the others go on.
//
// How many people take part is private: it is printed here because nobody in the cohort is real.

#include <fmt/format.h>

#include <algorithm>

#include "examples/print.h"
#include "ration/control/gdp_currency.h"
#include "ration/dataset/load_dataset.h"
#include "ration/individual/epsilons.h"
#include "ration/model/metrics.h"
#include "ration/train/trainer.h"
#include "ration/train/training_plan.h"

namespace {

using namespace ration;
using namespace ration::train;
using example::bar;

constexpr std::size_t kPeople = 4000;

TrainingPlan plan() {
  const Step step = {.noise = 8, .clip = 1.2};
  const FilterPlan filter = {.currency = gdp_currency(),
                             .budget = StepsBudget{.step = step, .steps = 20}};
  return {.step = step, .delta = 1e-5, .epochs = 40, .refresh = 1, .filter = filter};
}

std::size_t taking_part(const Trainer& trainer) {
  return static_cast<std::size_t>(
      std::count(trainer.active().begin(), trainer.active().end(), std::uint8_t{1}));
}

}  // namespace

int main() {
  const Dataset cohort = load_dataset(CohortSource{.people = kPeople, .test_people = 2000});
  const Architecture network = {.inputs = 714, .outputs = 25, .hidden = {64}, .loss = Loss::binary};
  Trainer trainer(network, AdamRule{.rate = 0.01}, plan(), cohort.train,
                  SecretStream::of_the_system());

  const Promise promise = promise_of(plan(), plan().steps());
  fmt::print("40 steps at noise 8: eps {} at the clip bound. With the filter everybody is\n",
             example::up(promise.worst_case.upper, 3));
  fmt::print("promised eps {} at delta 1e-5, and that holds from the start.\n\n",
             example::up(promise.epsilon.upper, 3));
  fmt::print("{:>5} {:>9} {:>12}\n", "step", "test AUC", "taking part");
  for (int step = 1; step <= 40; ++step) {
    trainer.step();
    if (step % 4 != 0) continue;
    const Evaluation test = evaluate(network, trainer.parameters(), cohort.test);
    const auto people = static_cast<double>(taking_part(trainer));
    fmt::print("{:>5} {:>9.3f} {:>12} {}\n", step, test.everybody.score.value_or(0), people,
               bar(40 * people / kPeople));
  }

  const auto everybody = trainer.settle_books().accounts.epsilon(accounted_delta(plan()),
                                                                 {.method = IndividualMethod::gdp});
  std::vector<double> spent;
  for (const Bound& epsilon : everybody.epsilon) spent.push_back(as_computed(epsilon).upper);
  std::sort(spent.begin(), spent.end());
  fmt::print("\nOf eps {} people have spent {} at least, a quarter of them at most {},\n",
             example::up(promise.epsilon.upper, 3), example::up(spent.front(), 3),
             example::up(spent[kPeople / 4], 3));
  fmt::print("and {} at most.\n", example::up(spent.back(), 3));
  fmt::print("\nThe same from the program: build/ration train examples/configs/clinical.toml\n");
}
