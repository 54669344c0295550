#include "paper/mnist_run.h"

#include <algorithm>
#include <span>
#include <utility>

#include "paper/gdp_vs_rdp.h"
#include "ration/base/error.h"
#include "ration/compose/compose.h"
#include "ration/compose/fourier_table.h"
#include "ration/dataset/public_random.h"
#include "ration/individual/blackwell.h"
#include "ration/individual/epsilons.h"
#include "ration/model/full_batch.h"
#include "ration/model/metrics.h"
#include "ration/train/trainer.h"
#include "ration/train/training_plan.h"

namespace ration::paper {
namespace {

// The paper's grids, from 2 to 30 for a noise of 2: ratios beyond the last edge count as that edge.
Buckets linear_buckets(Noise noise, int count) {
  return Buckets(fourier::linear_noises({.least = noise, .most = 15 * noise, .count = count}));
}

// Who is followed says nothing about their data: a public shuffle decides.
std::vector<std::size_t> drawn_people(std::size_t people, const MnistSettings& settings) {
  if (settings.followed == 0 || settings.followed > people) {
    refuse("people to follow", static_cast<double>(settings.followed),
           "at least one, and no more than there are: " + std::to_string(people));
  }
  constexpr std::uint64_t kStream = 5;  // of PublicRandom: its own purpose
  PublicRandom random(settings.public_seed, kStream);
  std::vector<std::size_t> order(people);
  for (std::size_t i = 0; i < people; ++i) order[i] = i;
  for (std::size_t i = 0; i < settings.followed; ++i) {
    std::swap(order[i], order[i + random.below(people - i)]);
  }
  order.resize(settings.followed);
  return order;
}

// The people at these places.
People selected(const People& people, std::span<const std::size_t> who) {
  People some = {.features = {.rows = who.size(), .columns = people.features.columns, .values = {}},
                 .labels = {.kind = people.labels.kind, .names = people.labels.names}};
  for (const std::size_t person : who) {
    const auto features = people.features.row(person);
    const auto labels = people.labels.of(person);
    some.features.values.insert(some.features.values.end(), features.begin(), features.end());
    some.labels.values.insert(some.labels.values.end(), labels.begin(), labels.end());
  }
  return some;
}

Architecture architecture_of(const MnistSettings& settings, const People& people) {
  return {.inputs = people.features.columns,
          .outputs = people.labels.count(),
          .hidden = settings.hidden};
}

// Charges of an epoch, a row for each step, before they go into the accounts.
class Charges {
 public:
  Charges(const People& people, std::uint64_t steps) : people_(people) {
    rows_.reserve(people.count() * steps);
  }

  // Before the trainer's next step. A person's norm is the same here and in the sum, to the last
  // bit, since it depends on nobody beside them.
  void add_next_step(const train::Trainer& trainer) {
    for (const float norm : gradient_norms(trainer.network(), people_).norms) {
      rows_.push_back(trainer.clipping().charge_if_summed(norm));
    }
  }

  void settle(const Step& step, MnistRun& run) {
    const NormTable<float> all = norm_table(rows_, people_.count());
    NormTable<float> of_chosen = all;
    of_chosen.data += run.chosen;
    of_chosen.people = 1;
    run.coarse.record(step, all);
    run.fine.record(step, all);
    run.of_chosen.record(step, of_chosen);
    rows_.clear();
  }

 private:
  const People& people_;
  std::vector<float> rows_;
};

}  // namespace

void check(const Dataset& data, const MnistSettings& settings) {
  drawn_people(data.train.count(), settings);
}

train::TrainingPlan mnist_plan(const MnistSettings& settings, Delta delta) {
  return {.step = settings.step, .delta = delta, .epochs = settings.epochs, .refresh = {}};
}

MnistRun run_mnist(const Dataset& data, const MnistSettings& settings,
                   const OnFraction& on_fraction) {
  MnistRun run = {.plan = mnist_plan(settings, 1e-6),
                  .people = drawn_people(data.train.count(), settings),
                  .coarse = Accounts(settings.followed, linear_buckets(settings.step.noise, 100)),
                  .fine = Accounts(settings.followed, Buckets::from(settings.step.noise)),
                  .chosen = 0,  // the order is a random one
                  .of_chosen = Accounts(1, linear_buckets(settings.step.noise, 50)),
                  .accuracy = {}};
  const People followed = selected(data.train, run.people);
  const SecretStream stream = settings.test_seed ? SecretStream::of_seed(*settings.test_seed)
                                                 : SecretStream::of_the_system();
  train::Trainer trainer(architecture_of(settings, data.train),
                         SgdRule{.rate = settings.learning_rate}, run.plan, data.train, stream);
  Charges charges(followed, run.plan.steps_per_epoch());
  for (std::uint64_t epoch = 0; epoch < run.plan.epochs; ++epoch) {
    for (std::uint64_t i = 0; i < run.plan.steps_per_epoch(); ++i) {
      charges.add_next_step(trainer);
      trainer.step();
    }
    charges.settle(settings.step, run);
    if (on_fraction) {
      on_fraction(static_cast<double>(epoch + 1) / static_cast<double>(run.plan.epochs));
    }
  }
  if (data.test.count() > 0) run.accuracy = evaluate(trainer.network(), data.test).everybody.score;
  return run;
}

namespace {

constexpr CurveRange kShown = {.from = kFittedOnOne.from,
                               .to = 2 * kFittedOnOne.to - kFittedOnOne.from,
                               .points = 4 * (kFittedOnOne.points - 1) + 1};

// Everybody's certified eps, with what computed noise may add; nobody's is above the worst case of
// the same method.
IndividualPrivacy certified(const Accounts& accounts, const train::TrainingPlan& plan,
                            const IndividualAccounting& how) {
  const Delta delta = train::accounted_delta(plan);
  IndividualPrivacy everybody = accounts.epsilon(delta, how);
  cap(everybody,
      worst_case(train::run_of(plan, plan.steps()), accounts.buckets(), delta, how).epsilon);
  for (Bound& epsilon : everybody.epsilon) epsilon = train::as_computed(epsilon);
  return everybody;
}

}  // namespace

std::vector<FittedPoint> curve_of_chosen(const MnistRun& run) {
  const PersonCurve curve = person_curve(
      run.of_chosen, 0, train::run_of(run.plan, run.plan.steps()), kShown, kFittedOnOne);
  std::vector<FittedPoint> points;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const CurvePoint& point = curve.points[i];  // its first method is the tight one
    points.push_back(
        {.epsilon = point.epsilon, .delta = point.delta.front(), .fitted = curve.blackwell[i]});
  }
  return points;
}

MnistEpsilons epsilons_of(const MnistRun& run, Delta delta) {
  train::TrainingPlan plan = run.plan;
  plan.delta = delta;
  IndividualPrivacy pld = certified(run.coarse, plan, {});
  IndividualPrivacy fine = certified(run.fine, plan, {});
  const Plan at_floor = {entry({.noise = run.coarse.buckets().edges().back(),
                                .rate = plan.step.rate,
                                .steps = static_cast<double>(plan.steps())})};
  return {
      .delta = delta,
      .pld = std::move(pld.epsilon),
      .renyi_short =
          certified(run.coarse, plan, {.method = IndividualMethod::rdp, .orders = short_orders()})
              .epsilon,
      .renyi = certified(run.coarse, plan, {.method = IndividualMethod::rdp}).epsilon,
      .approximate =
          run.coarse.epsilon(delta, {.method = IndividualMethod::blackwell, .range = kFittedOnAll})
              .epsilon,
      .fine = std::move(fine.epsilon),
      .rounded_up_plans = upper_ends(run.coarse, delta).epsilon,
      .wide = std::max(pld.wide, fine.wide),
      .worst_case = train::promise_of(plan, plan.steps()).worst_case,
      .floor = train::as_computed(compose(at_floor, train::accounted_delta(plan)).epsilon).upper};
}

}  // namespace ration::paper
