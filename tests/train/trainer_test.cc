#include "ration/train/trainer.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ration/base/error.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"
#include "ration/model/metrics.h"
#include "tests/train/small_people.h"

namespace ration::train {
namespace {

constexpr std::size_t kPeople = 700;
constexpr double kClip = 4;  // some norms are above, most below

Architecture network(Loss loss = Loss::softmax) {
  return {.inputs = 12, .outputs = 4, .hidden = {9}, .loss = loss};
}

TrainingPlan clinical(double clip, std::uint64_t epochs_in_budget) {
  const Step step = {.noise = 10.614652581338738, .clip = clip};
  return {.step = step,
          .delta = 1e-5,
          .epochs = 100,
          .filter = FilterPlan{
              .currency = gdp_currency(),
              .budget = StepsBudget{.step = step, .steps = static_cast<double>(epochs_in_budget)}}};
}

// Ordinary DP-SGD: nobody's norm is computed ahead.
TrainingPlan without_norms(double rate) {
  return {.step = {.noise = 3, .clip = kClip, .rate = rate},
          .delta = 1e-5,
          .epochs = 100,
          .refresh = {}};
}

TrainingPlan sampled(double rate, std::uint64_t refresh, double steps_in_budget) {
  const Step step = {.noise = 3, .clip = kClip, .rate = rate};
  return {.step = step,
          .delta = 1e-5,
          .epochs = 100,
          .refresh = refresh,
          .filter = FilterPlan{.currency = renyi_currency(default_orders()),
                               .budget = StepsBudget{.step = step, .steps = steps_in_budget}}};
}

std::size_t active(const Trainer& trainer) {
  return static_cast<std::size_t>(
      std::count(trainer.active().begin(), trainer.active().end(), std::uint8_t{1}));
}

// With a tiny clip bound everybody's norm is at it, and everybody pays the same.
TEST(Trainer, WithEqualNormsEverybodyIsLeftOutFromEpoch51OfTheClinicalSetUpOn) {
  const People people = small_people(kPeople, 12, 4, LabelKind::many);
  Trainer trainer(network(Loss::binary), AdamRule{.rate = 0.009}, clinical(1e-6, 50), people,
                  SecretStream::of_seed(1));
  for (int epoch = 1; epoch <= 55; ++epoch) {
    trainer.step();
    ASSERT_EQ(active(trainer), epoch <= 50 ? kPeople : 0) << epoch;
  }
}

TEST(Trainer, NobodysAccountExceedsTheirBudgetAfterAnyStepAndPeopleDropOutOneByOne) {
  const People people = small_people(kPeople, 12, 4, LabelKind::one);
  Trainer trainer(network(), AdamRule{.rate = 0.02}, clinical(kClip, 8), people,
                  SecretStream::of_seed(2));
  const Units budget = trainer.settle_books().filter->state().budgets[0];
  bool partly = false;
  for (int epoch = 1; epoch <= 30; ++epoch) {
    trainer.step();
    const Accounts& accounts = trainer.settle_books().accounts;
    for (std::size_t i = 0; i < kPeople; ++i) ASSERT_LE(accounts.unsampled(i).total, budget);
    partly |= active(trainer) > 0 && active(trainer) < kPeople;
    ASSERT_TRUE(epoch > 8 || active(trainer) == kPeople);
  }
  EXPECT_TRUE(partly);
}

TEST(Trainer, ARenyiFilterKeepsEveryBudgetAtEveryOrderAfterEveryStep) {
  const People people = small_people(kPeople, 12, 4, LabelKind::one);
  Trainer trainer(network(), SgdRule{.rate = 0.2}, sampled(0.1, 5, 20), people,
                  SecretStream::of_seed(3));
  for (int step = 1; step <= 60; ++step) {
    trainer.step();
    const auto& state = trainer.settle_books().filter->state();
    for (std::size_t i = 0; i < kPeople; ++i) {
      for (std::size_t k = 0; k < state.budgets.size(); ++k) {
        ASSERT_LE(state.spent[i * state.budgets.size() + k], state.budgets[k]);
      }
    }
    ASSERT_TRUE(step > 20 || active(trainer) == kPeople);
  }
  EXPECT_LT(active(trainer), kPeople);
}

// Everybody pays at every step, drawn or not, for what they held since the last refresh.
TEST(Trainer, ChargesOfASampledRunChangeAtFixedTimesOnly) {
  const People people = small_people(kPeople, 12, 4, LabelKind::one);
  TrainingPlan plan = sampled(0.05, 7, 1000);
  plan.filter = {};
  Trainer trainer(network(), SgdRule{.rate = 0.5}, plan, people, SecretStream::of_the_system());
  std::vector<float> last;
  for (int step = 0; step < 30; ++step) {
    trainer.step([&](std::span<const float> charges, bool same) {
      EXPECT_EQ(same, step % 7 != 0) << step;
      const std::vector<float> now(charges.begin(), charges.end());
      EXPECT_EQ(now == last, step % 7 != 0) << step;
      last = now;
      EXPECT_TRUE(std::all_of(now.begin(), now.end(), [](float c) { return c > 0; }));
    });
  }
  const Accounts& accounts = trainer.settle_books().accounts;
  for (std::size_t i = 0; i < kPeople; ++i) {
    const auto counts = accounts.counts(0, i);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 30U);
  }
}

TEST(Trainer, WithoutNormsEverybodyPaysForTheClipBoundAtEveryStep) {
  const People people = small_people(kPeople, 12, 4, LabelKind::one);
  Trainer trainer(network(), SgdRule{.rate = 0.5}, without_norms(0.05), people,
                  SecretStream::of_the_system());
  for (int step = 0; step < 30; ++step) {
    trainer.step([&](std::span<const float> charges, bool same) {
      EXPECT_EQ(same, step > 0);
      EXPECT_EQ(std::count(charges.begin(), charges.end(), static_cast<float>(kClip)),
                static_cast<std::ptrdiff_t>(kPeople));
    });
  }
  EXPECT_TRUE(trainer.losses().empty());
  const Accounts& accounts = trainer.settle_books().accounts;
  for (std::size_t i = 0; i < kPeople; ++i) EXPECT_EQ(accounts.counts(0, i)[0], 30U);
}

// Who pays more contributes no more: steps are those of everybody's own norms, to the last bit.
TEST(Trainer, WithoutNormsContributionsAreClippedAsWithThem) {
  const People people = small_people(kPeople, 12, 4, LabelKind::one);
  TrainingPlan exact = sampled(0.3, 1, 1000), clip = without_norms(0.3);
  exact.filter = {};
  std::vector<std::vector<float>> results;
  for (const TrainingPlan& plan : {exact, clip}) {
    Trainer trainer(network(), SgdRule{.rate = 0.5}, plan, people, SecretStream::of_seed(14));
    for (int step = 0; step < 10; ++step) trainer.step();
    results.emplace_back(trainer.parameters().begin(), trainer.parameters().end());
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(Trainer, ResultsDoNotDependOnTheNumberOfThreads) {
  const People people = small_people(kPeople, 12, 4, LabelKind::one);
  const int threads = omp_get_max_threads();
  for (const TrainingPlan& plan : {clinical(kClip, 3), sampled(0.2, 3, 4), without_norms(0.2)}) {
    std::vector<std::vector<float>> results;
    for (const int count : {1, 2, 5}) {
      omp_set_num_threads(count);
      Trainer trainer(network(), AdamRule{.rate = 0.02}, plan, people, SecretStream::of_seed(4));
      for (int step = 0; step < 6; ++step) trainer.step();
      results.emplace_back(trainer.parameters().begin(), trainer.parameters().end());
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
  omp_set_num_threads(threads);
}

TEST(Trainer, NoiseFromTheSystemDiffersFromRunToRun) {
  const People people = small_people(100, 12, 4, LabelKind::one);
  const auto trained = [&] {
    Trainer trainer(network(), SgdRule{.rate = 0.1}, clinical(kClip, 50), people,
                    SecretStream::of_the_system());
    trainer.step();
    return std::vector<float>(trainer.parameters().begin(), trainer.parameters().end());
  };
  EXPECT_NE(trained(), trained());
}

// A gradient that overflows: nothing of it may reach the sum, and its owner pays in full.
TEST(Trainer, APersonWithANonFiniteGradientContributesNothingAndPaysTheFullClip) {
  People people = small_people(kPeople, 12, 4, LabelKind::one);
  for (float& x : people.features.row(13)) x = 1e30F;
  for (const TrainingPlan& plan :
       {clinical(kClip, 50), sampled(0.3, 2, 1000), without_norms(0.3)}) {
    Trainer trainer(network(), SgdRule{.rate = 0.1}, plan, people, SecretStream::of_seed(5));
    for (int step = 0; step < 4; ++step) {
      trainer.step([&](std::span<const float> charges, bool) {
        EXPECT_NEAR(charges[13], kClip, 1e-6);
        EXPECT_GE(charges[13], kClip);
      });
    }
    EXPECT_TRUE(std::all_of(trainer.parameters().begin(), trainer.parameters().end(),
                            [](float p) { return std::isfinite(p); }));
  }
}

// What was summed in a step that could not be written down is not part of the next one.
TEST(Trainer, AStepThatWasBrokenOffLeavesNothingBehind) {
  const People people = small_people(300, 12, 4, LabelKind::one);
  TrainingPlan plan = clinical(kClip, 50);
  const auto trained = [&](int failures) {
    Trainer trainer(network(), SgdRule{.rate = 1}, plan, people, SecretStream::of_seed(5));
    for (int i = 0; i < failures; ++i) {
      EXPECT_THROW(trainer.step([](auto, bool) { throw Error("no room"); }), Error);
    }
    trainer.step();
    return std::vector<float>(trainer.parameters().begin(), trainer.parameters().end());
  };
  EXPECT_EQ(trained(0), trained(2));
}

TEST(Trainer, ThreadsMayBecomeMoreBetweenSteps) {
  const People people = small_people(kPeople, 12, 4, LabelKind::one);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  Trainer trainer(network(), SgdRule{.rate = 1}, clinical(kClip, 50), people,
                  SecretStream::of_seed(5));
  trainer.step();
  omp_set_num_threads(6);
  trainer.step();
  omp_set_num_threads(threads);
  EXPECT_EQ(trainer.steps(), 2u);
}

std::vector<float> values(std::span<const float> span) { return {span.begin(), span.end()}; }

double distance(std::span<const float> a, std::span<const float> b) {
  double square = 0;
  for (std::size_t k = 0; k < a.size(); ++k) square += std::pow(double{a[k]} - b[k], 2);
  return std::sqrt(square);
}

// Of a step from the same parameters with the same noise: how far the sums with a person and
// without are apart, and what the person was charged. Without: their features are beyond what is
// summed.
struct Moved {
  double distance, charge;
};
Moved moved_by(const People& with, std::size_t person, const TrainingPlan& plan) {
  const Architecture linear = {.inputs = 12, .outputs = 4};
  People without = with;
  for (float& x : without.features.row(person)) x = 3e38F;
  constexpr double kRate = 1e6;
  double charge = 0;
  std::vector<std::vector<float>> results;
  for (const People* people : {&with, static_cast<const People*>(&without)}) {
    Trainer trainer(linear, SgdRule{.rate = kRate}, plan, *people, SecretStream::of_seed(11));
    trainer.step([&](std::span<const float> charges, bool) {
      if (people == &with) charge = double{charges[person]};
    });
    results.push_back(values(trainer.parameters()));
  }
  const double denominator = plan.step.rate * static_cast<double>(with.count());
  return {.distance = distance(results[0], results[1]) * denominator / kRate, .charge = charge};
}

// With huge features a weight may be no normal float any more.
TEST(Trainer, APersonMovesTheSumByNoMoreThanTheyAreChargedFor) {
  double largest = 0;
  for (const double clip : {1e-7, 1e-4, 0.5}) {
    for (const float scale : {1e-3F, 1.0F, 1e3F, 1e10F, 1e20F, 1e24F, 1e26F, 1e30F, 1e34F, 1e37F}) {
      for (const float sign : {1.0F, -1.0F}) {
        People people = small_people(130, 12, 4, LabelKind::one);
        for (std::size_t j = 0; j < 12; ++j) {
          people.features.row(7)[j] = scale * sign * (j % 2 == 0 ? 1.0F : -0.3F);
        }
        TrainingPlan plan = clinical(clip, 50);
        plan.filter = {};
        const Moved moved = moved_by(people, 7, plan);
        // Parameters are float32, and so is what is measured.
        EXPECT_LE(moved.distance, moved.charge + 1e-3 * clip) << clip << " " << scale;
        largest = std::max(largest, moved.distance / clip);
      }
    }
  }
  EXPECT_GT(largest, 0.9) << "nobody moved anything";
}

// Two data sets that have nothing in common but their size: once everybody's budget is spent, a
// step is noise alone.
TEST(Trainer, WhoIsLeftOutContributesNothing) {
  const People people = small_people(300, 12, 4, LabelKind::one, 1);
  const People others = small_people(300, 12, 4, LabelKind::one, 2);
  for (const TrainingPlan& plan : {clinical(1e-3, 2), sampled(0.5, 100, 2)}) {
    TrainingPlan tiny = plan;
    tiny.step.clip = 1e-3;
    const Step step = tiny.step;
    tiny.filter->budget = StepsBudget{.step = step, .steps = 2};
    const SecretStream stream = SecretStream::of_seed(12);
    Trainer first(network(), SgdRule{.rate = 100}, tiny, people, stream);
    for (int i = 0; i < 3; ++i) first.step();
    ASSERT_EQ(active(first), 0u);
    Trainer second(network(), SgdRule{.rate = 100}, tiny, others, stream, first.state(),
                   Books(first.settle_books()));
    first.step();
    second.step();
    EXPECT_EQ(active(second), 0u);
    EXPECT_EQ(values(first.parameters()), values(second.parameters()));
  }
}

// Between two refreshes the norm that a person had is their own clip bound.
TEST(Trainer, InBetweenPeopleAreClippedToWhatTheyHold) {
  const People people = small_people(kPeople, 12, 4, LabelKind::one);
  TrainingPlan plan = sampled(0.9, 100, 1000);
  plan.filter = {};
  plan.step.noise = 0.02;
  const SecretStream stream = SecretStream::of_seed(13);
  constexpr double kRate = 1e-3;
  Trainer first(network(), SgdRule{.rate = kRate}, plan, people, stream);
  first.step();
  TrainingState state = first.state();
  ASSERT_GT(*std::min_element(state.held_norms.begin(), state.held_norms.end()), 1e-3F);
  std::fill(state.held_norms.begin(), state.held_norms.end(), 1e-4F);
  Trainer second(network(), SgdRule{.rate = kRate}, plan, people, stream, state,
                 Books(first.settle_books()));
  second.step();
  const double sum =
      distance(state.parameters, second.parameters()) * 0.9 * double{kPeople} / kRate;
  const double noise = 0.02 * kClip * std::sqrt(static_cast<double>(state.parameters.size()));
  EXPECT_LE(sum, kPeople * 1e-4 + 1.5 * noise);
}

// What takes part does not matter: noise is added and the step is done.
TEST(Trainer, StepsGoOnWithNoiseAloneWhenNobodyIsActive) {
  const People people = small_people(50, 12, 4, LabelKind::one);
  Trainer trainer(network(), SgdRule{.rate = 0.1}, clinical(1e-3, 1), people,
                  SecretStream::of_seed(6));
  trainer.step();
  const std::vector<float> before(trainer.parameters().begin(), trainer.parameters().end());
  trainer.step();
  EXPECT_EQ(active(trainer), 0u);
  const std::vector<float> after(trainer.parameters().begin(), trainer.parameters().end());
  EXPECT_NE(before, after);
}

// The change of one step is (sum of clipped gradients + noise) / people, whoever takes part: with
// noise far above the gradients, over many parameters, its standard deviation is that of the noise.
void expect_noise(const TrainingPlan& plan, int steps_before) {
  const People people = small_people(200, 400, 4, LabelKind::one);
  const Architecture wide = {.inputs = 400, .outputs = 4, .hidden = {100}};
  Trainer trainer(wide, SgdRule{.rate = 1}, plan, people, SecretStream::of_seed(7));
  for (int i = 0; i < steps_before; ++i) trainer.step();
  const std::vector<float> before(trainer.parameters().begin(), trainer.parameters().end());
  trainer.step();
  double squares = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const double change = double{trainer.parameters()[k]} - before[k];
    squares += change * change;
  }
  const double deviation = std::sqrt(squares / static_cast<double>(before.size()));
  const double expected = plan.step.noise * plan.step.clip / (plan.step.rate * 200);
  const double error = 5 / std::sqrt(2 * static_cast<double>(before.size()));
  EXPECT_NEAR(deviation / expected, 1, error);
}

TEST(Trainer, TheNoiseOfAStepHasTheStandardDeviationThatIsAccountedFor) {
  TrainingPlan plan = clinical(kClip, 50);
  plan.step.noise = 1000;
  plan.filter = {};
  expect_noise(plan, 0);
  plan = sampled(0.5, 1, 1000);
  plan.step.noise = 1000;
  plan.filter = {};
  expect_noise(plan, 0);
}

TEST(Trainer, TheDenominatorStaysWhenNobodyIsActiveAnyMore) {
  for (TrainingPlan plan : {clinical(kClip, 1), sampled(0.5, 1, 1)}) {
    plan.step.noise = 1000;
    plan.filter->budget = MuBudget{.mu = 1e-9};  // less than a step
    expect_noise(plan, 1);
  }
}

TEST(Trainer, LearnsWithLittleNoise) {
  const People people = small_people(2000, 12, 4, LabelKind::one, 1);
  const People fresh = small_people(1000, 12, 4, LabelKind::one, 2);
  for (const bool draw : {false, true}) {
    TrainingPlan plan = draw ? sampled(0.2, 5, 1000) : clinical(kClip, 50);
    plan.filter = {};
    Trainer trainer(network(), AdamRule{.rate = 0.05}, plan, people, SecretStream::of_seed(8));
    for (int step = 0; step < 60; ++step) trainer.step();
    EXPECT_GT(*evaluate(network(), trainer.parameters(), fresh).everybody.score, 0.7) << draw;
  }
}

TEST(Trainer, GoesOnFromItsStateAsIfItHadNeverStopped) {
  const People people = small_people(kPeople, 12, 4, LabelKind::one);
  for (const TrainingPlan& plan : {clinical(kClip, 4), sampled(0.2, 5, 4), without_norms(0.2)}) {
    const SecretStream stream = SecretStream::of_seed(9);
    const OptimiserRule rule = AdamRule{.rate = 0.02};
    Trainer whole(network(), rule, plan, people, stream);
    for (int step = 0; step < 7; ++step) whole.step();
    Trainer resumed(network(), rule, plan, people, stream, whole.state(),
                    Books(whole.settle_books()));
    for (int step = 0; step < 7; ++step) {
      whole.step();
      resumed.step();
    }
    EXPECT_TRUE(std::equal(whole.parameters().begin(), whole.parameters().end(),
                           resumed.parameters().begin()));
    EXPECT_EQ(whole.settle_books().accounts.state(), resumed.settle_books().accounts.state());
  }
}

}  // namespace
}  // namespace ration::train
