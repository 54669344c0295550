#include "ration/control/worst_adversary.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ration/compose/compose.h"
#include "ration/loss/gdp.h"
#include "tests/oracle/random.h"
#include "tests/refusal.h"

namespace ration {
namespace {

SubsampledGaussian step_of(double noise, double rate) { return {.noise = noise, .rate = rate}; }

double tight(double noise, double rate, std::uint64_t steps, double delta) {
  return compose({entry({.noise = noise, .rate = rate, .steps = static_cast<double>(steps)})},
                 delta)
      .epsilon.upper;
}

// Only one thing can be bought, so that nothing can be chosen: the tight accountant's number.
TEST(WorstAdversary, OfASingleTicketIsTheTightComposition) {
  const PriceList list({{.step = step_of(1, 0.01), .units = 2, .steps = 1}}, 16);
  const WorstAdversary adversary(list, 1000, 1e-5);
  for (const std::uint64_t units : {600u, 1000u}) {
    const Bound epsilon = adversary.epsilon(1e-5, units);
    const double truth = tight(1, 0.01, units / 2, 1e-5);
    EXPECT_LE(epsilon.lower, truth);
    EXPECT_GE(epsilon.upper, truth * (1 - 1e-9));
    EXPECT_LE(epsilon.upper, truth * 1.002);
  }
}

// Gaussians without sampling, priced by mu^2: whatever is chosen comes to the same mu.
TEST(WorstAdversary, OfTheGdpPriceListIsTheGaussianClosedForm) {
  const double noise = 10;
  std::vector<Ticket> tickets;
  for (const std::uint32_t units : {8u, 4u, 2u, 1u}) {
    tickets.push_back({.step = step_of(noise * std::sqrt(8.0 / units), 1), .units = units});
  }
  tickets.push_back({.step = step_of(noise * std::sqrt(80.0), 1), .units = 1, .steps = 10});
  const PriceList list(tickets, 4);
  const WorstAdversary adversary(list, 8 * 40, 1e-5);
  for (const double units : {120.0, 320.0}) {
    const double mu = std::sqrt(units / 8) / noise;
    const double truth = gdp::epsilon({.mu = mu, .delta = 1e-5}).upper;
    const Bound epsilon = adversary.epsilon(1e-5, static_cast<std::uint64_t>(units));
    EXPECT_LE(epsilon.lower, truth * (1 + 1e-9));
    EXPECT_GE(epsilon.upper, truth * (1 - 1e-9));
    EXPECT_LE(epsilon.upper, truth * 1.003);
  }
}

// The game of two to four units by other means: v_b on a fine grid of y, means over the loss by the
// trapezoid rule in u with linear interpolation in exp(y) between grid points, where v_b is convex.
class PlainGame {
 public:
  PlainGame(std::vector<Ticket> tickets, Direction direction, int units) : tickets_(tickets) {
    for (int i = 0; i <= kPoints; ++i) values_[0].push_back(std::max(0.0, -std::expm1(y(i))));
    for (int b = 1; b <= units; ++b) {
      values_.push_back(values_[0]);
      for (const Ticket& ticket : tickets_) {
        if (static_cast<int>(ticket.units) > b) continue;
        std::vector<double> v = values_[static_cast<std::size_t>(b) - ticket.units];
        for (std::uint32_t s = 0; s < ticket.steps; ++s) v = after(v, ticket.step, direction);
        for (int i = 0; i <= kPoints; ++i) {
          values_.back()[at(i)] = std::max(values_.back()[at(i)], v[at(i)]);
        }
      }
    }
  }
  double delta(int units, double epsilon) const {
    return read(values_[static_cast<std::size_t>(units)], epsilon);
  }

 private:
  static constexpr int kPoints = 2400;
  static constexpr double kFrom = -6, kTo = 6;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static double y(int i) { return kFrom + (kTo - kFrom) * i / kPoints; }
  static double read(const std::vector<double>& v, double place) {
    if (place <= kFrom) return -std::expm1(place);
    if (place >= kTo) return 0;
    const double x = (place - kFrom) / (kTo - kFrom) * kPoints;
    const int i = std::min(kPoints - 1, static_cast<int>(x));
    const double share = std::expm1(place - y(i)) / std::expm1(y(i + 1) - y(i));
    return v[at(i)] + share * (v[at(i + 1)] - v[at(i)]);
  }
  static std::vector<double> after(const std::vector<double>& v, const SubsampledGaussian& m,
                                   Direction direction) {
    std::vector<double> losses, weights;
    const double h = 0.04;
    for (double u = -9; u <= 9 + 1 / m.noise; u += h) {
      const double ratio = u / m.noise - 0.5 / (m.noise * m.noise);
      const double log_ratio = std::log1p(m.rate * std::expm1(ratio));
      const double normal = h * std::exp(-0.5 * u * u) / std::sqrt(2 * std::numbers::pi);
      const bool remove = direction == Direction::remove;
      losses.push_back(remove ? log_ratio : -log_ratio);
      weights.push_back(remove ? normal * std::exp(log_ratio) : normal);
    }
    std::vector<double> result;
    for (int i = 0; i <= kPoints; ++i) {
      double sum = 0;
      for (std::size_t n = 0; n < losses.size(); ++n) sum += weights[n] * read(v, y(i) - losses[n]);
      result.push_back(sum);
    }
    return result;
  }

  std::vector<Ticket> tickets_;
  std::vector<std::vector<double>> values_{1};
};

TEST(WorstAdversary, OfASmallGameIsWhatPlainIntegrationGives) {
  const std::vector<Ticket> tickets = {{.step = step_of(1, 0.3), .units = 2, .steps = 1},
                                       {.step = step_of(1.4, 0.3), .units = 1, .steps = 1}};
  const PlainGame remove(tickets, Direction::remove, 3), add(tickets, Direction::add, 3);
  // tight_filter.md: V_3(1) = 0.1155 at eps 0.11, every fixed sequence at most 0.1125.
  EXPECT_NEAR(remove.delta(3, 0.11), 0.1155, 1e-4);
  const WorstAdversary adversary(PriceList(tickets, 0), 3, 0.1155);
  for (const int units : {2, 3}) {
    for (const double epsilon : {0.11, 0.5}) {
      const double truth = std::max(remove.delta(units, epsilon), add.delta(units, epsilon));
      const Bound delta = adversary.delta(epsilon, static_cast<std::uint64_t>(units));
      EXPECT_LE(delta.lower, truth * (1 + 3e-4));
      EXPECT_GE(delta.upper, truth * (1 - 3e-4)) << units << " " << epsilon;
      EXPECT_LE(delta.upper, truth * 1.03) << units << " " << epsilon;
    }
  }
}

TEST(WorstAdversary, OfTicketsForSeveralStepsIsWhatPlainIntegrationGives) {
  const std::vector<Ticket> tickets = {{.step = step_of(0.9, 0.2), .units = 2, .steps = 1},
                                       {.step = step_of(1.5, 0.2), .units = 1, .steps = 2}};
  const PlainGame remove(tickets, Direction::remove, 4), add(tickets, Direction::add, 4);
  const WorstAdversary adversary(PriceList(tickets, 0), 4, 0.1);
  const double truth = std::max(remove.delta(4, 0.3), add.delta(4, 0.3));
  const Bound delta = adversary.delta(0.3, 4);
  EXPECT_GE(delta.upper, truth * (1 - 3e-4));
  EXPECT_LE(delta.upper, truth * 1.03);
}

// One list for the tests that follow: facts, section 5, second row.
const WorstAdversary& second_row() {
  static const WorstAdversary adversary(
      price_list({.step = step_of(1, 0.01), .tilt = 6.5, .tickets_per_doubling = 4}), 1000, 1e-5);
  return adversary;
}

TEST(WorstAdversary, IsWithinThreePercentOfTightWhereRenyiLosesFifteen) {
  const Bound epsilon = second_row().epsilon(1e-5, 1000);
  EXPECT_GE(epsilon.upper, 1.8282366);
  EXPECT_LE(epsilon.upper, 1.03 * 1.8282366);
  const std::uint64_t steps = second_row().list().steps_for(step_of(4, 0.01), 1000);
  EXPECT_LE(epsilon.upper, 1.045 * tight(4, 0.01, steps, 1e-5));
}

TEST(WorstAdversary, ItemisesErrorsThatAreASmallPartOfDelta) {
  const AdversaryErrors errors = second_row().errors(1.87, 1000);
  const double delta = second_row().delta(1.87, 1000).upper;
  EXPECT_GT(errors.numerical.between, 0);
  EXPECT_GT(errors.numerical.quadrature, 0);
  EXPECT_GT(errors.numerical.rounding, 0);
  EXPECT_GT(errors.wrap, 0);
  EXPECT_LT(errors.sum(), WorstAdversary::kMostError * delta);
}

TEST(WorstAdversary, LargestBudgetKeepsItsPromiseAndTheNextOneDoesNot) {
  const WorstAdversary& adversary = second_row();
  const std::uint64_t units = adversary.largest_budget(1.6, 1e-5);
  ASSERT_GT(units, 600u);
  EXPECT_LE(adversary.delta(1.6, units).upper, 1e-5);
  EXPECT_GT(adversary.delta(1.6, units + 2 + units / 256).upper, 1e-5);
}

TEST(WorstAdversary, RefusesWhatItCannotShow) {
  expect_refusal([] { second_row().delta(1.8, 1001); }, {"units", "1000"});
  // Far from the eps that the grid was made for, delta drowns in errors.
  expect_refusal([] { second_row().delta(12, 1000); }, {"epsilon", "between points"});
  expect_refusal(
      [] { WorstAdversary(price_list({.step = step_of(1, 0.01), .tilt = 6.5}), 3, 1e-5); },
      {"budget"});
}

// exp(-tilt epsilon) is below the smallest double there.
TEST(WorstAdversary, RefusesDeltasThatNoDoubleCanShow) {
  const std::vector<Ticket> one = {{.step = step_of(1, 1), .units = 1, .steps = 1}};
  expect_refusal([&] { WorstAdversary(PriceList(one, 0), 1, 1e-200); }, {"delta"});
}

// Whoever has less than a step at the clip bound costs may still buy a cheaper one.
TEST(WorstAdversary, OfLessThanALotIsWhatTheCheaperTicketsGive) {
  const std::vector<Ticket> tickets = {{.step = step_of(1, 0.3), .units = 2, .steps = 1},
                                       {.step = step_of(1.4, 0.3), .units = 1, .steps = 1}};
  const WorstAdversary adversary(PriceList(tickets, 0), 3, 0.1155);
  const Bound cheaper = compose({entry({.noise = 1.4, .rate = 0.3, .steps = 1})}, 0.05).epsilon;
  const Bound found = adversary.epsilon(0.05, 1);
  EXPECT_GT(cheaper.lower, 0.1);
  EXPECT_LE(found.lower, cheaper.upper);
  EXPECT_GE(found.upper, cheaper.lower);
  EXPECT_EQ(adversary.epsilon(0.05, 0).upper, 0);
  EXPECT_EQ(adversary.delta(0.5, 0).upper, 0);
}

TEST(WorstAdversary, GrowsWithTheBudgetAndFallsWithEpsilon) {
  EXPECT_TRUE(rc::check([] {
    const auto units = static_cast<std::uint64_t>(*rc::gen::inRange(800, 980));
    const double epsilon = 1.6 + *rc::gen::inRange(0, 25) / 100.0;
    const WorstAdversary& adversary = second_row();
    const Bound delta = adversary.delta(epsilon, units);
    RC_ASSERT(delta.upper <= adversary.delta(epsilon, units + 10).upper * 1.001);
    RC_ASSERT(delta.upper >= adversary.delta(epsilon + 0.05, units).upper);
    RC_ASSERT(delta.upper >= delta.lower);
  }));
}

// Whoever can choose among more, at the same prices, reaches no less.
TEST(WorstAdversary, OfARicherListIsNotSmaller) {
  oracle::Random random(17);
  for (int round = 0; round < 6; ++round) {
    const double noise = random.uniform(0.9, 1.9), rate = random.uniform(0.01, 0.05);
    const double ratio = random.uniform(1.2, 3);
    const auto steps = static_cast<std::uint32_t>(random.uniform(1, 6));
    const std::vector<Ticket> few = {{.step = step_of(noise, rate), .units = 2, .steps = 1}};
    std::vector<Ticket> more = few;
    more.push_back({.step = step_of(noise * ratio, rate), .units = 2, .steps = steps});
    const PriceList list(more, 16);
    const double rich = WorstAdversary(list, 200, 1e-4).epsilon(1e-4, 200).upper;
    EXPECT_GE(rich, WorstAdversary(PriceList(few, 16), 200, 1e-4).epsilon(1e-4, 200).lower);
    // No less than any plan that it admits.
    const double plan =
        compose({entry({.noise = noise * ratio, .rate = rate, .steps = 85.0 * steps}),
                 entry({.noise = noise, .rate = rate, .steps = 15})},
                1e-4)
            .epsilon.lower;
    EXPECT_GE(rich, plan);
  }
}

// A search decides about usefulness: more steps for the population than prices for large norms, and
// little lost at the clip bound.
TEST(BestRule, LetsAPopulationTakeMoreStepsAtLittleCostToTheClipBound) {
  const PriceRule start{.step = step_of(1.0777, 0.02), .tilt = 1, .tickets_per_doubling = 4};
  const PriceRule found = best_rule(start, 300, 1e-5);
  struct Outcome {
    double epsilon, log_steps;
  };
  const auto outcome = [&](double tilt) -> Outcome {
    PriceRule rule = found;
    rule.tilt = tilt;
    const PriceList list = price_list(rule);
    const double epsilon = WorstAdversary(list, 300, 1e-5).epsilon(1e-5, 300).upper;
    double sum = 0;
    for (const double ratio : {1, 2, 4, 8}) {
      sum += std::log(static_cast<double>(list.steps_for(step_of(ratio * 1.0777, 0.02), 300))) / 4;
    }
    return {epsilon, sum - 2 * std::log(epsilon)};
  };
  const Outcome best = outcome(found.tilt);
  EXPECT_GT(best.log_steps, outcome(0.25 * found.tilt).log_steps);
  EXPECT_LT(best.epsilon, 1.035 * tight(1.0777, 0.02, 300, 1e-5));
  const std::string text = refusal([&] { best_rule(start, 300, 1e-5, {.ratios = {0.5}}); });
  EXPECT_NE(text.find("ratio is 0.5"), std::string::npos) << text;
}

}  // namespace
}  // namespace ration
