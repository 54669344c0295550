#include "paper/mnist_experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "paper/gdp_vs_rdp.h"
#include "paper/mnist_run.h"
#include "ration/compose/compose.h"
#include "ration/individual/used_mechanisms.h"
#include "ration/train/trainer.h"
#include "ration/train/training_plan.h"
#include "tests/refusal.h"
#include "tests/train/small_people.h"

namespace ration::paper {
namespace {

Dataset small_data() {
  return {.train = train::small_people(600, 12, 4, LabelKind::one, 1),
          .test = train::small_people(100, 12, 4, LabelKind::one, 2),
          .description = "small people"};
}

MnistSettings small_settings() {
  return {.followed = 25,
          .hidden = {9},
          .step = {.noise = 2, .clip = 3, .rate = 0.05},
          .epochs = 10,
          .test_seed = 7};
}

// The same training with everybody's exact norms, which is another way through the trainer: what
// it charges the people who are followed.
Accounts charged_by_exact_training(const Dataset& data, const MnistSettings& settings,
                                   const std::vector<std::size_t>& who, const Buckets& buckets) {
  train::TrainingPlan plan = mnist_plan(settings, 1e-6);
  plan.refresh = 1;
  train::Trainer trainer({.inputs = 12, .outputs = 4, .hidden = settings.hidden},
                         SgdRule{.rate = settings.learning_rate}, plan, data.train,
                         SecretStream::of_seed(*settings.test_seed));
  Accounts accounts(who.size(), buckets);
  for (std::uint64_t step = 0; step < plan.steps(); ++step) {
    trainer.step([&](std::span<const float> charges, bool) {
      std::vector<float> theirs;
      for (const std::size_t person : who) theirs.push_back(charges[person]);
      accounts.record(settings.step, theirs);
    });
  }
  return accounts;
}

TEST(MnistRun, PeopleAreChargedAtEveryStepForTheNormsTheyHadThere) {
  const Dataset data = small_data();
  const MnistSettings settings = small_settings();
  const MnistRun run = run_mnist(data, settings);
  ASSERT_EQ(run.people.size(), 25u);
  EXPECT_EQ(std::set(run.people.begin(), run.people.end()).size(), 25u);
  for (const Accounts* accounts : {&run.coarse, &run.fine}) {
    EXPECT_EQ(accounts->state(),
              charged_by_exact_training(data, settings, run.people, accounts->buckets()).state());
  }
  EXPECT_EQ(
      run.of_chosen.state(),
      charged_by_exact_training(data, settings, {run.people[run.chosen]}, run.of_chosen.buckets())
          .state());
  EXPECT_EQ(run.coarse.buckets().size(), 100u);
  EXPECT_EQ(run.of_chosen.buckets().size(), 50u);
  EXPECT_NEAR(run.coarse.buckets().edges().back(), 30, 1e-12);
  EXPECT_GT(*run.accuracy, 0.3);
}

TEST(MnistRun, WhoIsFollowedDependsOnThePublicSeedAlone) {
  MnistSettings settings = small_settings();
  settings.epochs = 1;
  const auto people = [&] { return run_mnist(small_data(), settings).people; };
  const auto first = people();
  settings.test_seed = {};
  EXPECT_EQ(people(), first);
  settings.public_seed = 2;
  EXPECT_NE(people(), first);
}

TEST(MnistRun, RefusesToFollowMorePeopleThanThereAre) {
  MnistSettings settings = small_settings();
  settings.followed = 601;
  EXPECT_EQ(refusal([&] { run_mnist(small_data(), settings); }),
            "people to follow is 601: give at least one, and no more than there are: 600");
}

// One person at a time, by the accountants of single plans: of plans that round to the edges of
// buckets, which everybody's numbers are sharper than. Coarse and fine buckets hold the same truth.
TEST(MnistNumbers, AgreeWithEachPersonsOwnPlan) {
  const MnistRun run = run_mnist(small_data(), small_settings());
  const MnistEpsilons found = epsilons_of(run, 1e-5);
  const Delta delta = 1e-5;
  for (const std::size_t p : {0UL, 11UL, 24UL}) {
    const Plan up = plan_of(run.coarse, p, Rounding::up);
    const Bound tight = compose(up, delta).epsilon;
    const Bound least = compose(plan_of(run.fine, p, Rounding::down), delta).epsilon;
    for (const Bound& pld : {found.pld[p], found.fine[p]}) {
      EXPECT_GE(pld.upper, std::min(least.lower, found.worst_case.lower));
      EXPECT_LE(pld.upper, tight.upper * (1 + 1e-5));
    }
    EXPECT_LE(found.pld[p].lower, found.fine[p].upper);
    EXPECT_LE(found.fine[p].lower, found.pld[p].upper);
    const auto renyi = [&](std::vector<Order> orders) {
      return compose(up, delta, {.method = Method::rdp, .orders = std::move(orders)}).epsilon;
    };
    EXPECT_NEAR(found.renyi[p].upper / renyi({}).upper, 1, 1e-3);
    EXPECT_NEAR(found.renyi_short[p].upper / renyi(short_orders()).upper, 1, 1e-6);
    EXPECT_LE(found.rounded_up_plans[p].lower, tight.upper);
    EXPECT_GE(found.rounded_up_plans[p].upper, tight.lower);
  }
  const Plan all = {entry({.noise = 2, .rate = 0.05, .steps = 200})};
  EXPECT_NEAR(found.worst_case.upper, compose(all, delta).epsilon.upper, 1e-8);
}

// A tight bound is nowhere above a looser one.
TEST(MnistNumbers, NobodysEpsilonByPldIsAboveTheirsByRdp) {
  const MnistRun run = run_mnist(small_data(), small_settings());
  for (const double delta : {1e-6, 1e-5}) {
    const MnistEpsilons found = epsilons_of(run, delta);
    for (std::size_t i = 0; i < found.pld.size(); ++i) {
      EXPECT_LE(found.rounded_up_plans[i].lower, found.renyi[i].upper);
      EXPECT_LE(found.pld[i].upper, found.renyi[i].upper);
      EXPECT_LE(found.renyi[i].upper, found.renyi_short[i].upper * (1 + 1e-3));  // orders of a grid
    }
  }
}

TEST(MnistNumbers, TheCurveIsThatOfTheChosenPersonsPlan) {
  const MnistRun run = run_mnist(small_data(), small_settings());
  const auto curve = curve_of_chosen(run);
  const Plan up = plan_of(run.of_chosen, 0, Rounding::up);
  ASSERT_EQ(curve.size(), 117u);
  for (const std::size_t i : {0UL, 29UL, 57UL, 90UL}) {
    const Bound delta = delta_at(up, curve[i].epsilon).delta;
    EXPECT_LE(curve[i].delta.lower, delta.upper);
    EXPECT_GE(curve[i].delta.upper, delta.lower);
  }
  // Every other one is a point of the fit, the last of them in the middle.
  EXPECT_NEAR(curve[58].epsilon, 0.8, 1e-12);
  EXPECT_NEAR(curve[2].epsilon, 0.01 + 0.79 / 29, 1e-12);
}

// A histogram counts a column of the table, between edges of which the lower is not included.
void expect_counts(const report::Histogram& histogram, const std::vector<double>& edges,
                   const Figure& figure, const std::string& column) {
  const auto& columns = figure.data.columns;
  const auto at = std::find(columns.begin(), columns.end(), column) - columns.begin();
  for (std::size_t bin = 0; bin < histogram.heights.size(); ++bin) {
    const auto count =
        std::count_if(figure.data.rows.begin(), figure.data.rows.end(), [&](const auto& row) {
          const double epsilon = std::get<double>(row[static_cast<std::size_t>(at)]);
          return epsilon > edges[bin] && epsilon <= edges[bin + 1];
        });
    EXPECT_EQ(histogram.heights[bin], static_cast<double>(count)) << column << " " << bin;
  }
}

TEST(MnistFigures, CountEverybodyAndHoldARowForEach) {
  std::vector<double> fractions;
  const auto figures = mnist_figures(small_data(), small_settings(),
                                     [&](double done) { fractions.push_back(done); });
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1);
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[0].name, "mnist-one-person");
  EXPECT_EQ(figures[1].name, "mnist-epsilons-delta-1e-06");
  EXPECT_EQ(figures[2].name, "mnist-epsilons-delta-1e-05");
  for (const Figure& figure : figures) {
    EXPECT_TRUE(figure.about_people);
    EXPECT_FALSE(figure.claims.empty());
    EXPECT_FALSE(figure.corrections.empty());
    EXPECT_NE(figure.here.find("Test accuracy"), std::string::npos);
    EXPECT_NE(figure.here.find("test run with a known seed"), std::string::npos);
    for (const auto& row : figure.data.rows) EXPECT_EQ(row.size(), figure.data.columns.size());
  }
  for (const Figure& figure : {figures[1], figures[2]}) {
    EXPECT_EQ(figure.data.rows.size(), 25u);
    EXPECT_EQ(figure.claims.size(), 4u);
    for (const Claim& claim : figure.claims) EXPECT_EQ(claim.held, is_held(tally(claim.evidence)));
    const std::vector<std::vector<std::string>> shown = {
        {"rdp_2_to_32_upper", "pld_upper"}, {"pld_upper", "rdp_upper", "approximate_upper"}};
    for (std::size_t c = 0; c < 2; ++c) {
      const auto& chart = std::get<report::HistogramChart>(figure.charts[c]);
      EXPECT_EQ(chart.edges.size(), 41u);
      EXPECT_EQ(chart.markers.size(), 1u);
      ASSERT_EQ(chart.histograms.size(), shown[c].size());
      for (std::size_t h = 0; h < shown[c].size(); ++h) {
        expect_counts(chart.histograms[h], chart.edges, figure, shown[c][h]);
      }
    }
  }
}

TEST(MnistFigures, SettingsAreThePapersAndQuickOnesKeepTheSteps) {
  for (const MnistSettings& settings : {MnistSettings::full(), MnistSettings::quick()}) {
    const train::TrainingPlan plan = mnist_plan(settings, 1e-6);
    EXPECT_EQ(plan.steps(), 10'000u);
    // The tight eps, computed in 30 digits, of q = 0.005, sigma = 2, T = 10000.
    EXPECT_NEAR(train::promise_of(plan, plan.steps()).worst_case.upper, 1.1501786607954, 1e-8);
    EXPECT_GT(expected_time(settings).count(), 0);
  }
  EXPECT_EQ(MnistSettings::full().followed, 1000u);
  EXPECT_LT(expected_time(MnistSettings::quick()), expected_time(MnistSettings::full()));
}

}  // namespace
}  // namespace ration::paper
