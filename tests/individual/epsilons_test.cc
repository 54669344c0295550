#include "ration/individual/epsilons.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ration/base/error.h"
#include "ration/compose/accountants.h"
#include "ration/compose/compose.h"
#include "ration/compose/fourier_table.h"
#include "ration/individual/blackwell.h"
#include "ration/individual/used_mechanisms.h"
#include "ration/loss/gdp.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

struct Training {
  std::size_t people;
  int steps;
  Step step;
};

// Norms of people whose typical sizes differ, as a table of steps x people.
std::vector<double> norms_of(const Training& run, oracle::Random& random) {
  std::vector<double> typical(run.people), norms;
  for (double& x : typical) x = random.log_uniform(0.02, 2);
  for (int t = 0; t < run.steps; ++t) {
    for (const double x : typical) norms.push_back(x * random.log_uniform(0.5, 2) * run.step.clip);
  }
  return norms;
}

void record(Accounts& accounts, const Training& run, const std::vector<double>& norms) {
  accounts.record(run.step, norm_table(norms, run.people));
}

Accounts accounts_of(const Training& run, oracle::Random& random) {
  Accounts accounts(run.people, Buckets::from(run.step.noise));
  record(accounts, run, norms_of(run, random));
  return accounts;
}

double relative_width(const Bound& x) { return width(x) / x.upper; }

// The accountant of single plans is tested against 256 bits; what is said of plans that round to
// the edges has to hold what it says of them, and everybody's own ends lie between these.
void expect_as_single_plans(const Accounts& accounts, double delta, std::size_t stride) {
  const IndividualPrivacy all = accounts.epsilon(delta);
  const IndividualPrivacy upper = upper_ends(accounts, delta);
  ASSERT_EQ(all.epsilon.size(), accounts.people());
  for (std::size_t p = 0; p < accounts.people(); p += stride) {
    const Plan up = plan_of(accounts, p, Rounding::up), down = plan_of(accounts, p, Rounding::down);
    const Bound of_up = up.empty() ? exactly(0) : contour::at_delta(up, delta).epsilon;
    const Bound of_down = down.empty() ? exactly(0) : contour::at_delta(down, delta).epsilon;
    EXPECT_GE(upper.epsilon[p].upper, of_up.lower) << "person " << p;
    EXPECT_LE(upper.epsilon[p].lower, of_up.upper) << "person " << p;
    if (all.wide == 0) {
      EXPECT_LE(relative_width(upper.epsilon[p]), 1e-3) << "person " << p;
      EXPECT_LE(all.epsilon[p].upper, of_up.upper * (1 + 1e-3) + 1e-9) << "person " << p;
      EXPECT_GE(all.epsilon[p].lower, of_down.lower * (1 - 1e-3) - 1e-9) << "person " << p;
    }
  }
}

TEST(Epsilons, OfManyStepsAreThoseOfSinglePlans) {
  oracle::Random random(1);
  const Training run = {
      .people = 300, .steps = 3000, .step = {.noise = 2, .clip = 5, .rate = 0.01}};
  expect_as_single_plans(accounts_of(run, random), 1e-6, 40);
}

TEST(Epsilons, OfLittleNoiseAndOfLargeRatesAreThoseOfSinglePlans) {
  oracle::Random random(2);
  for (const Step& step : {Step{.noise = 0.7, .rate = 0.02}, Step{.noise = 5, .rate = 0.6},
                           Step{.noise = 30, .rate = 0.2}}) {
    const Training run = {.people = 24, .steps = 800, .step = step};
    expect_as_single_plans(accounts_of(run, random), step.rate == 0.6 ? 1e-9 : 1e-3, 8);
  }
}

TEST(Epsilons, OfSeveralRatesAndOfUnsampledStepsAreThoseOfSinglePlans) {
  oracle::Random random(3);
  Training run = {.people = 30, .steps = 300, .step = {.noise = 1.5, .rate = 0.02}};
  Accounts accounts = accounts_of(run, random);
  run.step = {.noise = 3, .rate = 0.1};
  record(accounts, run, norms_of(run, random));
  run = {.people = 30, .steps = 5, .step = {.noise = 40}};
  record(accounts, run, norms_of(run, random));
  expect_as_single_plans(accounts, 1e-5, 5);
}

TEST(Epsilons, OfFewStepsHoldThoughTheyAreWide) {
  oracle::Random random(4);
  const Training run = {.people = 40, .steps = 10, .step = {.noise = 1, .rate = 0.002}};
  const Accounts accounts = accounts_of(run, random);
  expect_as_single_plans(accounts, 1e-6, 13);
  // Few enough people are accounted for one by one.
  const Accounts few = accounts_of({.people = 2, .steps = 10, .step = run.step}, random);
  const IndividualPrivacy found = upper_ends(few, 1e-6);
  EXPECT_EQ(found.wide, 0u);
  for (const Bound& e : found.epsilon) EXPECT_LE(relative_width(e), 0.01);
}

// Against what really happened: each step at its own noise ratio, not at that of its bucket.
TEST(Epsilons, EncloseThoseOfTheUnroundedNorms) {
  oracle::Random random(5);
  const Training run = {.people = 6, .steps = 40, .step = {.noise = 1.2, .rate = 0.3}};
  const std::vector<double> norms = norms_of(run, random);
  Accounts accounts(run.people, Buckets::from(run.step.noise));
  constexpr int kRepeats = 5;
  for (int i = 0; i < kRepeats; ++i) record(accounts, run, norms);
  const IndividualPrivacy pld = accounts.epsilon(1e-5);
  const IndividualPrivacy rdp = accounts.epsilon(1e-5, {.method = IndividualMethod::rdp});
  for (std::size_t p = 0; p < run.people; ++p) {
    Plan plan;
    for (int t = 0; t < run.steps; ++t) {
      const double norm = norms[static_cast<std::size_t>(t) * run.people + p];
      plan.push_back(entry({.noise = run.step.noise / std::min(1.0, norm),
                            .rate = run.step.rate,
                            .steps = kRepeats}));
    }
    const Bound truth = contour::at_delta(plan, 1e-5).epsilon;
    EXPECT_LE(pld.epsilon[p].lower, truth.upper);
    EXPECT_GE(pld.epsilon[p].upper, truth.lower);
    const Bound renyi = renyi::at_delta(plan, 1e-5).epsilon;
    EXPECT_LE(rdp.epsilon[p].lower, renyi.upper * 1.001);  // 16 orders to the octave, not all
    EXPECT_GE(rdp.epsilon[p].upper, renyi.lower);
    EXPECT_GE(rdp.epsilon[p].upper, pld.epsilon[p].upper);
  }
}

// All regimes, from many epochs to the rare draws of fine-tuning. A person has some different
// norms, so that the accountant of single plans can take them as they are.
TEST(Epsilons, EncloseThoseOfTheUnroundedNormsInEveryRegime) {
  struct Regime {
    double rate, noise;
    int steps;
  };
  constexpr std::size_t kPeople = 12;
  constexpr int kNorms = 6;
  oracle::Random random(55);
  for (const Regime& regime :
       {Regime{0.005, 2, 10000}, Regime{0.005, 2, 1000}, Regime{0.02, 1.0777, 700},
        Regime{0.02, 1.0777, 250}, Regime{0.1, 4, 300}, Regime{0.001, 0.8, 20000},
        Regime{0.05, 1.5, 100}, Regime{0.0001, 0.7, 50000}, Regime{0.3, 0.9, 30}}) {
    Accounts accounts(kPeople, Buckets::from(regime.noise));
    std::vector<Plan> plans(kPeople);
    const Step step = {.noise = regime.noise, .rate = regime.rate};
    for (int k = 0; k < kNorms; ++k) {
      std::vector<double> norms;
      const int times = std::max(1, regime.steps / kNorms);
      for (Plan& plan : plans) {
        norms.push_back(random.log_uniform(0.03, 1));
        plan.push_back(
            entry({.noise = regime.noise / norms.back(), .rate = regime.rate, .steps = times}));
      }
      for (int t = 0; t < times; ++t) accounts.record(step, norms);
    }
    const double delta = random.log_uniform(1e-8, 1e-5);
    const IndividualPrivacy all = accounts.epsilon(delta);
    std::vector<double> widths;
    for (std::size_t p = 0; p < kPeople; ++p) {
      const Bound truth = contour::at_delta(plans[p], delta).epsilon;
      EXPECT_LE(all.epsilon[p].lower, truth.upper) << regime.steps << " steps, person " << p;
      EXPECT_GE(all.epsilon[p].upper, truth.lower) << regime.steps << " steps, person " << p;
      widths.push_back(relative_width(all.epsilon[p]));
    }
    std::sort(widths.begin(), widths.end());
    EXPECT_LE(widths[kPeople / 2], 0.03) << regime.steps << " steps";
    EXPECT_LE(widths.back(), 0.1) << regime.steps << " steps";
  }
}

// As at_delta has it for each person's two plans, one by one.
TEST(Epsilons, OfListedOrdersAreThoseOfEachPersonsPlansUnderTheSameOrders) {
  oracle::Random random(15);
  const Training run = {.people = 3, .steps = 300, .step = {.noise = 2, .rate = 0.02}};
  const Accounts accounts = accounts_of(run, random);
  const std::vector<Order> orders = {2, 3, 4.5, 8};
  const IndividualAccounting listed = {.method = IndividualMethod::rdp, .orders = orders};
  const IndividualPrivacy found = accounts.epsilon(1e-6, listed);
  const IndividualPrivacy dense = accounts.epsilon(1e-6, {.method = IndividualMethod::rdp});
  for (std::size_t p = 0; p < run.people; ++p) {
    const auto of_plan = [&](Rounding rounding) {
      return renyi::at_delta(plan_of(accounts, p, rounding), 1e-6, orders).epsilon;
    };
    EXPECT_GE(found.epsilon[p].upper, of_plan(Rounding::up).lower);
    EXPECT_NEAR(found.epsilon[p].upper / of_plan(Rounding::up).upper, 1, 1e-9);
    EXPECT_LE(found.epsilon[p].lower, of_plan(Rounding::down).upper);
    EXPECT_NEAR(found.epsilon[p].lower / of_plan(Rounding::down).lower, 1, 1e-9);
    EXPECT_GT(found.epsilon[p].upper, dense.epsilon[p].upper * 1.05)
        << "the best order is on the list";
  }
  EXPECT_NE(found.guarantee.theorem, dense.guarantee.theorem);
  EXPECT_EQ(
      worst_case({entry({.noise = 2, .rate = 0.02, .steps = 300})}, accounts.buckets(), 1e-6,
                 listed)
          .epsilon,
      renyi::at_delta({entry({.noise = 2, .rate = 0.02, .steps = 300})}, 1e-6, orders).epsilon);
}

TEST(Epsilons, WithTheDefaultBucketsOverReportByLittle) {
  oracle::Random random(6);
  const Training run = {.people = 41, .steps = 400, .step = {.noise = 2, .rate = 0.05}};
  const std::vector<double> norms = norms_of(run, random);
  Accounts accounts(run.people, Buckets::from(run.step.noise)),
      fine(run.people,
           Buckets(fourier::geometric_noises({.least = 2, .most = 256, .count = 2000})));
  record(accounts, run, norms);
  record(fine, run, norms);
  const IndividualPrivacy coarse = accounts.epsilon(1e-6);
  const IndividualPrivacy truth = fine.epsilon(1e-6);
  std::vector<double> over;
  for (std::size_t p = 0; p < run.people; ++p) {
    EXPECT_GE(coarse.epsilon[p].upper, truth.epsilon[p].lower);
    over.push_back(coarse.epsilon[p].upper / truth.epsilon[p].lower - 1);
  }
  std::nth_element(over.begin(), over.begin() + 20, over.end());
  EXPECT_LE(over[20], 0.001);
}

TEST(Epsilons, DoNotDependOnThreadsOrOnTheOrderOfPeople) {
  oracle::Random random(7);
  const Training run = {.people = 200, .steps = 200, .step = {.noise = 1.5, .rate = 0.05}};
  const std::vector<double> norms = norms_of(run, random);
  std::vector<double> reversed;
  for (std::size_t t = 0; t < 200; ++t) {
    for (std::size_t p = 0; p < 200; ++p) reversed.push_back(norms[t * 200 + 199 - p]);
  }
  Accounts accounts(200, Buckets::from(1.5)), other(200, Buckets::from(1.5));
  record(accounts, run, norms);
  record(other, run, reversed);
  for (const auto method : {IndividualMethod::pld, IndividualMethod::rdp}) {
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto one = accounts.epsilon(1e-5, {.method = method}).epsilon;
    omp_set_num_threads(3);
    auto three = other.epsilon(1e-5, {.method = method}).epsilon;
    omp_set_num_threads(threads);
    std::reverse(three.begin(), three.end());
    EXPECT_EQ(one, three);
  }
}

TEST(Epsilons, OfNothingAreNothing) {
  Accounts accounts(3, Buckets::from(2));
  EXPECT_EQ(accounts.epsilon(1e-6).epsilon[0], exactly(0));
  accounts.record({.noise = 2, .rate = 0.01}, std::vector<double>{0, 1, 0});
  for (const auto method :
       {IndividualMethod::pld, IndividualMethod::rdp, IndividualMethod::blackwell}) {
    const IndividualPrivacy found = accounts.epsilon(1e-6, {.method = method});
    EXPECT_EQ(found.epsilon[0], exactly(0)) << name(method);
    EXPECT_GT(found.epsilon[1].upper, 0) << name(method);
  }
}

TEST(Epsilons, ByGdpAreExactAndRefuseSampling) {
  Accounts accounts(2, Buckets::from(100));
  for (int t = 0; t < 420; ++t) {
    accounts.record({.noise = 100}, std::vector<double>{1, 0.5});
  }
  for (const auto method : {IndividualMethod::gdp, IndividualMethod::pld}) {
    const IndividualPrivacy found = accounts.epsilon(1e-5, {.method = method});
    EXPECT_TRUE(contains(found.epsilon[0], 0.745138235521)) << name(method);  // facts, section 3
    EXPECT_LE(width(found.epsilon[0]), 1e-10);
    const Bound half = gdp::epsilon({.mu = 0.5 * std::sqrt(420.0) / 100, .delta = 1e-5});
    EXPECT_NEAR(found.epsilon[1].upper, half.upper, 1e-10);
  }
  accounts.record({.noise = 100, .rate = 0.5}, std::vector<double>{1, 1});
  EXPECT_THROW(accounts.epsilon(1e-5, {.method = IndividualMethod::gdp}), Error);
}

TEST(Epsilons, SayWhatTheyAreWorth) {
  using enum IndividualMethod;
  for (const IndividualMethod method : {pld, rdp, gdp, blackwell}) {
    EXPECT_EQ(guarantee_of(method).certified, method != blackwell) << name(method);
    EXPECT_FALSE(guarantee_of(method).adaptive) << name(method);
  }
}

TEST(Epsilons, RefuseATotalThatIsFull) {
  Accounts accounts(1, Buckets::from(0.01));
  for (int t = 0; t < 3; ++t) accounts.record({.noise = 0.01}, std::vector<double>{1});
  EXPECT_THROW(accounts.epsilon(1e-5), Error);
  EXPECT_THROW(accounts.epsilon(1e-5, {.method = IndividualMethod::rdp}), Error);
}

// Little noise at a tiny rate takes more nodes than any line should have. Nobody else is refused
// for that, nobody waits for it, and the person's own eps is that of their single plan.
TEST(Epsilons, OnePersonBeyondAnyLineRefusesNobody) {
  const std::vector<Noise> edges = {0.01, 0.34, 2, 3};
  const std::vector<Rate> rates = {1e-10, 0.01};
  AccountsState state = {.buckets = Buckets(edges),
                         .people = 2,
                         .steps = 1000,
                         .rates = rates,
                         .counts = {{0, 0, 0, 0, 1, 2, 0, 0}, {0, 0, 1000, 0, 0, 0, 0, 0}},
                         .unsampled = {{}, {}}};
  for (const std::uint64_t steps : {std::uint64_t{1000}, std::uint64_t{100000000}}) {
    state.steps = steps;
    const Accounts accounts(state);
    const double delta = 1e-8;
    for (const IndividualMethod method : {IndividualMethod::pld, IndividualMethod::rdp}) {
      const IndividualPrivacy all = accounts.epsilon(delta, {.method = method});
      const Plan up = plan_of(accounts, 0, Rounding::up), odd = plan_of(accounts, 1, Rounding::up);
      const Bound single = contour::at_delta(up, delta).epsilon;
      EXPECT_GE(all.epsilon[0].upper, single.lower);
      EXPECT_LE(all.epsilon[0].upper,
                single.upper * (method == IndividualMethod::pld ? 1 + 1e-3 : 1.5));
      EXPECT_GE(all.epsilon[1].upper, contour::at_delta(odd, delta).epsilon.lower);
      EXPECT_EQ(all.wide, 0u);
    }
  }
}

// The paper's accountant, step by step with the accountants of single plans.
TEST(Blackwell, IsTheLargestMuOnTheRange) {
  oracle::Random random(8);
  const Training run = {.people = 2, .steps = 2000, .step = {.noise = 2, .clip = 5, .rate = 0.01}};
  const Accounts accounts = accounts_of(run, random);
  const BlackwellRange range = {.from = 0.05, .to = 0.5, .points = 4};
  const UsedMechanisms columns(accounts);
  const std::vector<Bound> mus = blackwell_mus(columns, range);
  for (std::size_t p = 0; p < run.people; ++p) {
    double mu = 0;
    for (int i = 0; i < range.points; ++i) {
      const double epsilon = 0.05 + 0.15 * i;
      const Bound delta = contour::at_epsilon(plan_of(accounts, p, Rounding::up), epsilon).delta;
      if (delta.upper < 1e-12) break;
      mu = std::max(mu, gdp::mu({.epsilon = epsilon, .delta = delta.upper}).upper);
    }
    EXPECT_NEAR(mus[p].upper / mu, 1, 1e-5) << "person " << p;
    EXPECT_LT(mus[p].lower, mus[p].upper);
    const Plan gaussian = {{Gaussian{.noise = 1 / mu}, 1}};
    const double epsilon =
        accounts.epsilon(1e-5, {.method = IndividualMethod::blackwell, .range = range})
            .epsilon[p]
            .upper;
    EXPECT_NEAR(epsilon / renyi::at_delta(gaussian, 1e-5).epsilon.upper, 1, 1e-4);
  }
  EXPECT_THROW(blackwell_mus(columns, {.from = 1, .to = 0.5}), Error);
}

}  // namespace
}  // namespace ration
