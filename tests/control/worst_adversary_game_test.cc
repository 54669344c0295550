// The promise of a price list against a plain model of the game that it is made for
// (paper/adaptive_game.h): never below what the best adversary reaches, and near it where nothing
// is lost.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "paper/adaptive_game.h"
#include "ration/base/error.h"
#include "ration/compose/compose.h"
#include "ration/control/worst_adversary.h"
#include "ration/loss/gdp.h"
#include "tests/control/small_lists.h"

namespace ration {
namespace {

using paper::AdaptiveGame, paper::moves_of, paper::steps_of;

// What the best adversary reaches, in either direction.
struct BothGames {
  BothGames(const PriceList& list, Units budget, double epsilon)
      : unit(unit_of(list)),
        remove(steps_of(list), moves_of(list, unit, budget), Direction::remove, epsilon),
        add(steps_of(list), moves_of(list, unit, budget), Direction::add, epsilon) {}

  double delta(Units units, double epsilon) const {
    return std::max(remove.value(units / unit, epsilon), add.value(units / unit, epsilon));
  }

  Units unit;
  AdaptiveGame remove, add;
};

struct SmallList {
  const char* name;
  SubsampledGaussian step;
  std::vector<Entry> entries;
  std::uint32_t last_steps;
  std::uint64_t steps;
  double delta;
  double within = 1.25;  // of the best adversary
};
const std::vector<SmallList> kSmallLists = {
    {"of two entries", {.noise = 1, .rate = 0.3}, {{1, 8}, {1.5, 4}}, 1, 4, 0.05},
    {"of three entries", {.noise = 1, .rate = 0.3}, {{1, 8}, {1.5, 4}, {3, 1}}, 2, 8, 0.02},
    {"at a small rate", {.noise = 1, .rate = 0.01}, {{1, 8}, {2, 4}}, 2, 4, 1e-2},
    {"of much noise", {.noise = 3, .rate = 0.5}, {{1, 8}, {2, 2}}, 4, 20, 1e-3},
    {"of little noise", {.noise = 0.5, .rate = 0.1}, {{1, 8}, {2, 4}}, 3, 6, 0.1},
    {"underpriced", {.noise = 1, .rate = 0.3}, {{1, 8}, {1.25, 2}}, 1, 6, 0.1, 4},
    {"underpriced by little", {.noise = 2, .rate = 0.1}, {{1, 8}, {1.5, 3}}, 4, 12, 1e-3},
    {"overpriced", {.noise = 1, .rate = 0.3}, {{1, 8}, {4, 8}}, 4, 12, 1e-2}};

TEST(WorstAdversaryGame, IsNeverBelowTheBestAdversaryOfAPlainGame) {
  std::size_t answered = 0, shown = 0;
  for (const SmallList& small : kSmallLists) {
    const PriceList list = list_of(small.step, small.entries, small.last_steps);
    std::optional<WorstAdversary> adversary;
    try {
      adversary.emplace(list, small.steps, small.delta);
    } catch (const Error&) {
      continue;  // nothing can be shown, and nothing is promised
    } catch (const OutOfReach&) {
      continue;
    }
    ++answered;
    const double epsilon = adversary->epsilon(small.delta, adversary->budget()).upper;
    const BothGames games(list, adversary->budget(), 1.5 * epsilon);
    for (Units units = kWhole; units <= adversary->budget(); units += games.unit) {
      for (const double at : {0.5 * epsilon, epsilon, 1.5 * epsilon}) {
        double promised = 1;
        try {
          promised = adversary->delta(at, units).upper;
        } catch (const OutOfReach&) {
          continue;  // too far from what the grid was laid out for
        }
        ++shown;
        EXPECT_GE(promised, games.delta(units, at) * (1 - kOfTheGrid))
            << small.name << " " << units << " " << at;
      }
    }
    // Not far above it either, at what it was made for.
    EXPECT_LE(small.delta, small.within * games.delta(adversary->budget(), epsilon)) << small.name;
  }
  EXPECT_GE(answered, 6u);
  EXPECT_GT(shown, 200u);
}

// Only one thing can be bought, so that nothing can be chosen: the tight accountant's number.
TEST(WorstAdversaryGame, OfASingleEntryIsTheTightComposition) {
  const double delta = 1e-5;
  const SubsampledGaussian step = {.noise = 1, .rate = 0.01};
  const WorstAdversary adversary(list_of(step, {{1, 8}}, 16), 500, delta);
  for (const double steps : {10.0, 300.0, 500.0}) {
    const Plan plan = {entry({.noise = step.noise, .rate = step.rate, .steps = steps})};
    const Bound truth = compose(plan, delta).epsilon;
    const Bound found = adversary.epsilon(delta, static_cast<Units>(steps) * kWhole);
    EXPECT_LE(found.lower, truth.upper);
    EXPECT_GE(found.upper, truth.lower);
    EXPECT_LE(found.upper, truth.upper * 1.01) << steps;
  }
}

// Gaussians without sampling, priced by mu^2: whatever is chosen comes to the same mu, up to 1.
TEST(WorstAdversaryGame, OfTheGdpPriceListIsTheGaussianClosedForm) {
  const double steps = 1000, delta = 1e-3;
  const PriceList list = list_of({.noise = std::sqrt(steps), .rate = 1},
                                 {{1, 8}, {std::sqrt(2), 4}, {2, 2}, {std::sqrt(8), 1}}, 64);
  const WorstAdversary adversary(list, static_cast<std::uint64_t>(steps), delta);
  for (const double share : {0.5, 1.0}) {
    const double truth = gdp::epsilon({.mu = std::sqrt(share), .delta = delta}).upper;
    const Bound found = adversary.epsilon(delta, static_cast<Units>(share * steps) * kWhole);
    EXPECT_LE(found.lower, truth * (1 + 1e-9));
    EXPECT_GE(found.upper, truth * (1 - 1e-9));
    EXPECT_LE(found.upper, truth * (share == 1 ? 1.003 : 1.004));
  }
}

// docs/math/tight_filter.md, "Natural filters", without an end: 0.1155, and 0.1125 without choice.
TEST(AdaptiveGame, IsTheOneOfTheExample) {
  const paper::GameMoves moves = {{}, {{1, 0}}, {{0, 0}, {1, 1}}, {{0, 1}, {1, 2}}};
  const AdaptiveGame game({{.noise = 1, .rate = 0.3}, {.noise = 1.4, .rate = 0.3}}, moves,
                          Direction::remove, 1);
  EXPECT_NEAR(game.value(3, 0.11), 0.1155, 5e-5);
  double fixed = 0;
  for (const std::vector<std::size_t>& sequence :
       {std::vector<std::size_t>{0, 1}, {1, 0}, {1, 1, 1}, {0}, {1, 1}}) {
    const AdaptiveGame::Policy policy = [&](std::size_t state, double, std::span<double> shares) {
      std::size_t left = 3, done = 0;
      while (left != state && done < sequence.size()) left -= sequence[done++] == 0 ? 2 : 1;
      if (left != state || done == sequence.size()) return;
      for (std::size_t j = 0; j < shares.size(); ++j) {
        if (moves[state][j].step == sequence[done]) shares[j] = 1;
      }
    };
    fixed = std::max(fixed, game.delta_of(policy, 3, 0.11));
  }
  EXPECT_NEAR(fixed, 0.1125, 5e-5);
  const paper::Estimate played = game.play(game.best(), 3, 0.11, 200'000, 1);
  EXPECT_LT(std::abs(played.value - game.value(3, 0.11)), 3 * (played.high - played.value));
}

}  // namespace
}  // namespace ration
