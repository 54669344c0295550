// Adversaries who play the tight filter itself, against a plain model of the game
// (paper/adaptive_game.h): nobody reaches more than was promised, and the best one nearly does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "paper/adaptive_game.h"
#include "ration/control/filter.h"
#include "ration/control/tight_currency.h"
#include "tests/control/small_lists.h"
#include "tests/oracle/random.h"

namespace ration {
namespace {

using paper::AdaptiveGame, paper::moves_of, paper::steps_of;

// The largest norm that an entry pays for: it costs exactly what the entry does if it is on an edge
// between cells, as it is at ratios 1, 1.5 and 3 and a clip bound of 6.
double norm_of(const PricedStep& entry, const Step& step, const Currency& currency) {
  const double norm = step.clip * step.noise / entry.step.noise;
  Units charge = 0;
  currency.price(step)->charges(std::span<const double>(&norm, 1), &charge);
  EXPECT_EQ(charge, entry.price) << "of the entry at noise " << double{entry.step.noise};
  return norm;
}

struct Played {
  double mean, error;  // and its standard deviation
};

// Paths are people of one filter, each of whom an adversary plays against: they see their own
// likelihood ratio and what is left, and choose a norm, until nothing is left that fits.
class FilterGame {
 public:
  FilterGame(const PriceList& list, std::uint64_t steps, double delta)
      : list_(list), steps_(steps), delta_(delta), adversary_(list, steps, delta) {
    currency_ = tight_currency(list, delta, adversary_.worth(delta));
    clip_step_ = {.noise = list.worst().noise, .clip = 6, .rate = list.worst().rate};
    for (const PricedStep& entry : list.entries()) {
      norms_.push_back(norm_of(entry, clip_step_, *currency_));
    }
    epsilon_ = filter(1).budget(0, delta).upper;
    for (const Direction direction : {Direction::remove, Direction::add}) {
      games_.emplace_back(steps_of(list), moves_of(list, unit(), adversary_.budget()), direction,
                          1.1 * epsilon_);
    }
  }

  const PriceList& list() const { return list_; }
  Units unit() const { return unit_of(list_); }
  std::size_t start() const { return games_[0].last_state(); }
  const std::vector<AdaptiveGame>& games() const { return games_; }
  double epsilon() const { return epsilon_; }
  double delta() const { return delta_; }  // what is promised at epsilon

  Played play(const AdaptiveGame& game, const AdaptiveGame::Policy& policy, std::size_t paths,
              std::uint64_t seed) const {
    constexpr std::size_t kTogether = 50'000;
    paper::GameRandom random(seed);
    double sum = 0, squares = 0;
    for (std::size_t done = 0; done < paths; done += kTogether) {
      for (const double y : block(game, policy, std::min(kTogether, paths - done), random)) {
        const double reached = std::max(0.0, -std::expm1(y));
        sum += reached;
        squares += reached * reached;
      }
    }
    const auto n = static_cast<double>(paths);
    const double mean = sum / n;
    return {.mean = mean, .error = std::sqrt(std::max(0.0, squares / n - mean * mean) / n)};
  }

 private:
  Filter filter(std::size_t people) const {
    return {people, currency_,
            StepsBudget{.step = clip_step_, .steps = static_cast<double>(steps_)}};
  }
  // y at the end, of each path.
  std::vector<double> block(const AdaptiveGame& game, const AdaptiveGame::Policy& policy,
                            std::size_t paths, paper::GameRandom& random) const {
    Filter filter = this->filter(paths);
    const Units budget = filter.state().budgets[0];
    std::vector<double> y(paths, epsilon_), norms(paths), shares;
    std::vector<std::size_t> moves(paths);
    std::vector<std::uint8_t> mask(paths), stopped(paths);
    bool some_play = true;
    while (some_play) {
      some_play = false;
      for (std::size_t i = 0; i < paths; ++i) {
        norms[i] = 0;
        if (stopped[i] != 0) continue;
        const std::size_t state = (budget - filter.state().spent[i]) / unit();
        const auto open = game.moves(state);
        shares.assign(open.size(), 0);
        policy(state, y[i], shares);
        double coin = random.uniform();
        std::size_t move = 0;
        for (; move < shares.size() && coin >= shares[move]; ++move) coin -= shares[move];
        stopped[i] = move == shares.size();
        moves[i] = move;
        // Nothing fits: even the smallest norm on the list must be refused.
        norms[i] = open.empty() ? norms_.back() : stopped[i] ? 0 : norms_[open[move].step];
        some_play |= stopped[i] == 0;
      }
      const std::vector<Units> before = filter.state().spent;
      filter.admit(clip_step_, norms, mask);
      for (std::size_t i = 0; i < paths; ++i) {
        const std::size_t state = (budget - before[i]) / unit();
        const bool expected = stopped[i] == 0;
        if (norms[i] != 0 && (mask[i] != 0) != expected) ADD_FAILURE() << "person " << i;
        if (!expected || mask[i] == 0) continue;
        const paper::GameMove& move = game.moves(state)[moves[i]];
        if ((budget - filter.state().spent[i]) / unit() != move.to) ADD_FAILURE() << "price";
        y[i] -= game.loss(move.step, random);
      }
    }
    return y;
  }

  PriceList list_;
  std::uint64_t steps_;
  double delta_, epsilon_ = 0;
  WorstAdversary adversary_;
  CurrencyPtr currency_;
  Step clip_step_{.noise = 1, .clip = 1};
  std::vector<double> norms_;
  std::vector<AdaptiveGame> games_;
};

std::size_t paths() { return static_cast<std::size_t>(oracle::cases()) * 10; }

struct Adversary {
  std::string name;
  AdaptiveGame::Policy policy;
};

// Moves are in the order of the list: from the largest step to the smallest.
std::vector<Adversary> heuristics(const FilterGame& of, const AdaptiveGame& game) {
  using Shares = std::span<double>;
  const auto largest = [](Shares s) {
    if (!s.empty()) s.front() = 1;
  };
  const auto smallest = [](Shares s) {
    if (!s.empty()) s.back() = 1;
  };
  const auto near = static_cast<std::size_t>(of.list().near_the_end() / of.unit());
  const std::size_t half = of.start() / 2;
  std::vector<Adversary> all = {
      {"largest", [=](std::size_t, double, Shares s) { largest(s); }},
      {"smallest", [=](std::size_t, double, Shares s) { smallest(s); }},
      {"middle",
       [](std::size_t, double, Shares s) {
         if (!s.empty()) s[s.size() / 2] = 1;
       }},
      {"alternating by what is left",
       [=](std::size_t left, double, Shares s) { left % 2 == 0 ? largest(s) : smallest(s); }},
      {"large, then small",
       [=](std::size_t left, double, Shares s) { left > half ? largest(s) : smallest(s); }},
      {"small, then large",
       [=](std::size_t left, double, Shares s) { left > half ? smallest(s) : largest(s); }},
      {"never near the end",
       [=](std::size_t left, double, Shares s) {
         if (left >= near) smallest(s);
       }},
      {"down to the brink of the end, then large",
       [=](std::size_t left, double, Shares s) { left > near ? smallest(s) : largest(s); }},
      {"large unless it leads to the end",
       [=, &game](std::size_t left, double, Shares s) {
         if (s.empty()) return;
         game.moves(left).front().to >= near ? largest(s) : smallest(s);
       }},
      {"stops when it has gained",
       [=](std::size_t, double y, Shares s) {
         if (y > -0.7) largest(s);
       }},
      {"stops when it has lost",
       [=, &of](std::size_t, double y, Shares s) {
         if (y < of.epsilon() + 0.5) smallest(s);
       }},
      {"at random",
       [](std::size_t, double, Shares s) {
         std::fill(s.begin(), s.end(), 1.0 / static_cast<double>(s.size() + 1));
       }},
      {"at random, and never stops",
       [](std::size_t, double, Shares s) {
         std::fill(s.begin(), s.end(), 1.0 / static_cast<double>(s.size()));
       }},
      {"at random by the likelihood ratio", [](std::size_t, double y, Shares s) {
         if (s.empty()) return;
         s.front() = 1 / (1 + std::exp(4 * y));
         s.back() += 1 - s.front();
       }}};
  for (const double at : {-0.5, -0.1, 0.1, 0.4}) {
    all.push_back({"large below a threshold",
                   [=](std::size_t, double y, Shares s) { y < at ? largest(s) : smallest(s); }});
    all.push_back({"small below a threshold",
                   [=](std::size_t, double y, Shares s) { y < at ? smallest(s) : largest(s); }});
  }
  all.push_back({"best for another eps", [=, &game](std::size_t left, double y, Shares s) {
                   game.best()(left, y + 0.3, s);
                 }});
  return all;
}

// 10^5 paths each in `make test`, 10^7 in `make soak`. delta of each policy is computed as well.
TEST(TightFilterGame, NoAdversaryReachesMoreThanWasPromised) {
  const FilterGame of(list_of({.noise = 1, .rate = 0.3}, {{1, 8}, {1.5, 4}, {3, 1}}, 2), 5, 0.05);
  for (const AdaptiveGame& game : of.games()) {
    std::vector<Adversary> all = heuristics(of, game);
    EXPECT_GE(all.size(), 20u);
    all.push_back({"best", game.best()});
    double most = 0;
    for (const auto& [name, policy] : all) {
      const double exact = game.delta_of(policy, of.start(), of.epsilon());
      EXPECT_LE(exact, of.delta() * (1 + kOfTheGrid)) << name;
      const Played played = of.play(game, policy, paths(), 7);
      const double few = 10 / static_cast<double>(paths());  // of what hardly ever happens
      EXPECT_LE(played.mean - 4.5 * played.error, of.delta()) << name;
      EXPECT_LE(std::abs(played.mean - exact), 4.5 * played.error + 2e-3 * exact + few) << name;
      most = std::max(most, exact);
    }
    EXPECT_NEAR(most, game.value(of.start(), of.epsilon()), 1e-12);
    RecordProperty("least_ratio", std::to_string(of.delta() / most));
  }
}

// What is promised is nearly reached: nobody could promise 1% less of delta against this list.
TEST(TightFilterGame, TheBestAdversaryComesWithinAPercentOfThePromise) {
  const FilterGame of(list_of({.noise = 1, .rate = 0.3}, {{1, 8}, {1.5, 4}}, 8), 40, 1e-2);
  const AdaptiveGame& game = of.games()[0];  // in the direction remove
  const double best = game.value(of.start(), of.epsilon());
  EXPECT_LE(best, of.delta() * (1 + kOfTheGrid));
  EXPECT_GE(best, 0.99 * of.delta());
  const Played played = of.play(game, game.best(), paths(), 8);
  EXPECT_LE(played.mean - 4.5 * played.error, of.delta());
  EXPECT_LE(std::abs(played.mean - best), 4.5 * played.error + 2e-3 * best);
}

}  // namespace
}  // namespace ration
